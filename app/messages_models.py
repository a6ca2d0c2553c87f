"""What the user reads about models, on this computer and on servers: a part of the tables of `messages`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from engine import (
    ArchivisteError,
    DiskFull,
    DownloadFailed,
    GenerationFailed,
    ModelUnavailable,
    SettingsError,
    StoreBusy,
)

from .i18n import N_

MODEL_PRECISE: Final[Mapping[tuple[type[ArchivisteError], str], str]] = MappingProxyType({
    # --- on this computer ---------------------------------------------------------------------------
    (ModelUnavailable, "missing"): N_(
        "The file of the language model is not there: {path}. Correct its path in your settings."
    ),
    (ModelUnavailable, "format"): N_(
        "This file is not a language model that can be used: {path}. Name another one in your settings."
    ),
    (ModelUnavailable, "embed"): N_(
        "The model that searches by meaning can’t be loaded: {path}. Searching by word goes on working. Check"
        " the folder of the model in your settings."
    ),
    (ModelUnavailable, "rerank"): N_(
        "The model that reads the best results again can’t be loaded: {path}. Searching goes on working without"
        " it. Check the folder of the model in your settings."
    ),
    (ModelUnavailable, "head"): N_(
        "This model can’t compare a question with a message: {path}. Name a reranking model in your settings."
    ),
    (ModelUnavailable, "precision"): N_(
        "On this computer the precision “{precision}” changes what the model finds: {path}. Choose “fp32” for"
        " “bge_precision” in your settings."
    ),
    (ModelUnavailable, "generate"): N_(
        "No language model can write the answer. Ask for extracts, or add a model: archiviste models."
    ),
    (ModelUnavailable, "library"): N_(
        "This installation can’t run a language model. Ask for extracts, or install the missing part: pip install"
        " archiviste[llm]."
    ),
    (ModelUnavailable, "file"): N_(
        "This language model is damaged, or of a kind that this version doesn’t know: {path}. Check it (archiviste"
        " models check), or choose another one."
    ),
    (ModelUnavailable, "crash"): N_(
        "The language model can’t run on this computer’s processor: {path}. It was turned off; searching and extracts"
        " go on working. Open the application again to retry, or choose another model."
    ),
    (ModelUnavailable, "dies"): N_(
        "The language model was ended several times in a row: {path}. This computer may lack memory for it. It was"
        " turned off; searching and extracts go on working. Open the application again to retry, or choose a lighter"
        " model."
    ),
    (ModelUnavailable, "unknown_model"): N_("No model is called “{path}”. See the list: archiviste models."),
    (ModelUnavailable, "not_installed"): N_(
        "No model called “{path}” is in the data folder. See the list: archiviste models."
    ),
    (GenerationFailed, "no_room"): N_("The question is too long for the language model. Make it shorter."),
    (GenerationFailed, "slow"): N_(
        "The language model took too long and was stopped. Ask again, or choose a lighter model."
    ),
    # --- on a server --------------------------------------------------------------------------------
    (SettingsError, "url"): N_(
        "The setting “{key}” must be an address as http://192.168.1.20:8000/v1, without a password in it; “{value}” is"
        " not."
    ),
    (ModelUnavailable, "remote_none"): N_(
        "No answer server was set up. Give its address as “llm_url” in your settings, or ask for extracts."
    ),
    (ModelUnavailable, "remote_unreachable"): N_(
        "The answer server does not reply: {path}. Check that it is running and that “llm_url” is its address."
    ),
    (ModelUnavailable, "remote_key"): N_(
        "The answer server refuses the key: {path}. Check the variable that “llm_key_variable” names."
    ),
    (ModelUnavailable, "remote_model"): N_(
        "The answer server knows no model called “{model}” at this address: {path}. Check “llm_remote_model” and"
        " “llm_url”."
    ),
    (GenerationFailed, "remote_busy"): N_("The answer server is busy: {path}. Ask again soon."),
    (GenerationFailed, "remote_slow"): N_(
        "The answer server took too long: {path}. Ask again, or ask for extracts only."
    ),
    (GenerationFailed, "remote_cut"): N_(
        "The answer server stopped in the middle of its answer: {path}. Ask again, or ask for extracts only."
    ),
    (GenerationFailed, "remote_server"): N_(
        "The answer server failed: {path}. Ask for extracts meanwhile; its own log says more."
    ),
    (ModelUnavailable, "server_away"): N_(
        "The model server of “{setting}” does not reply: {path}. What was made before is kept. Check that it is running"
        " and that this is its address, then start again: it will go on from there."
    ),
    (ModelUnavailable, "server_slow"): N_(
        "The model server of “{setting}” took too long: {path}. What was made before is kept. Start again later: it"
        " will go on from there."
    ),
    (ModelUnavailable, "server_busy"): N_(
        "The model server of “{setting}” is busy: {path}. What was made before is kept. Start again later: it will go"
        " on from there."
    ),
    (ModelUnavailable, "server_failing"): N_(
        "The model server of “{setting}” failed: {path} (error {status}). What was made before is kept. Its own log"
        " says more; start again once it works: it will go on from there."
    ),
    (ModelUnavailable, "server_garbled"): N_(
        "The model server of “{setting}” gives answers that can’t be read: {path}. What was made before is kept. Check"
        " that this address is that of a server of models of this kind."
    ),
    (ModelUnavailable, "server_key"): N_(
        "The model server of “{setting}” refuses the key: {path}. Name in your settings the variable that holds the"
        " right one."
    ),
    (ModelUnavailable, "server_model"): N_(
        "The model server of “{setting}” knows no model called “{model}” at this address: {path}. Check both in your"
        " settings."
    ),
    (ModelUnavailable, "server_refused"): N_(
        "The model server of “{setting}” refuses what it is asked: {path} (error {status}). What was made before is"
        " kept. Check that it serves a model of this kind; its own log says more."
    ),
    (ModelUnavailable, "server_other"): N_(
        "Another model answers at this address: {path}. Nothing of it was kept: its vectors can’t be compared with"
        " those of the index. Put the model back, or give this one another name in “encoder_remote_model” and index"
        " again."
    ),
    (ModelUnavailable, "server_dimension"): N_(
        "Another model answers at this address: {path} (vectors of {found} numbers instead of {expected}). Nothing of"
        " it was kept. Put the model back, or give this one another name in “encoder_remote_model” and index again."
    ),
    # --- downloads and copies -----------------------------------------------------------------------
    (DownloadFailed, "unreachable"): N_(
        "The model can’t be downloaded: no connection to {path}. What was received is kept. Start again once connected,"
        " or bring the file on a USB stick: archiviste models add FILE."
    ),
    (DownloadFailed, "offline"): N_(
        "Downloads are turned off here (HF_HUB_OFFLINE). Take this variable away, or bring the file on a USB stick:"
        " archiviste models add FILE."
    ),
    (DownloadFailed, "not_found"): N_("There is no model at this place: {path}. Nothing was changed. Check the name."),
    (DownloadFailed, "refused"): N_(
        "This model is not given to everybody: {path}. Download it with your own account, then: archiviste models add"
        " FILE."
    ),
    (DownloadFailed, "busy"): N_("The download server is busy. What was received is kept. Start again later."),
    (DownloadFailed, "server"): N_(
        "The download server failed: {path}. What was received is kept. Start again later."
    ),
    (DownloadFailed, "cut"): N_(
        "The download stopped before its end: {path}. What was received is kept. Start again: it will go on from there."
    ),
    (DownloadFailed, "damaged"): N_(
        "This file is damaged, or is not what it should be: {path}. It was not kept. Start again."
    ),
    (DownloadFailed, "changed"): N_(
        "The file on offer is not the one that this version knows: {path}. Nothing was downloaded. Update the"
        " application."
    ),
    (DownloadFailed, "not_a_model"): N_(
        "This is not a model that can be used: {path}. Give a GGUF file, or the folder of bge-m3 or of a reranking"
        " model."
    ),
    (DownloadFailed, "several"): N_("This folder holds several models: {path}. Name one of its files."),
    (DownloadFailed, "unreadable"): N_("This file can’t be read: {path}. Check the disk or the USB stick."),
    (DiskFull, "model"): N_(
        "The disk has not enough room for this model: {needed_gb} GB are needed, {free_gb} GB are free. Nothing was"
        " changed. Make some room, then start again."
    ),
    (StoreBusy, "model"): N_("This model is already being downloaded or copied. Wait for it to end."),
})  # fmt: skip

MODEL_NOTICES: Final[Mapping[str, str]] = MappingProxyType({
    "llm_failed": N_("The language model failed: here are extracts of the archive instead."),
    "llm_unavailable": N_("The language model can’t be loaded: here are extracts of the archive instead."),
    "llm_off": N_(
        "The language model does not work on this computer and was turned off: here are extracts of the archive"
        " instead."
    ),
    "encoder_away": N_(
        "The server that reads texts for their meaning does not answer: results come from exact words only."
    ),
    "encoder_other": N_(
        "Another model answers on the server that reads texts for their meaning: results come from exact words only."
    ),
    "reranker_away": N_(
        "The server that reads the results again does not answer: they are in the order of the search itself."
    ),
    "remote_failed": N_("The answer server did not answer: here are extracts of the archive instead."),
})  # fmt: skip

# What is wrong with a file of a model.
MODEL_FLAWS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "missing": N_("it is not there"),
        "size": N_("it has not the right size"),
        "hash": N_("its content has changed"),
        "format": N_("it can’t be read as a model"),
    }
)
