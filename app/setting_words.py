"""What each setting is for, in words a moderator reads; a test holds that none is forgotten."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from .i18n import N_
from .setting_words_several import SEVERAL, Words

# By group of the page, then by section and name in settings.toml.
GROUPS: Final[Mapping[str, Mapping[str, Words]]] = MappingProxyType({
    N_("Answers"): {
        "engine.llm_model": Words(
            N_("Language model"),
            N_(
                "GGUF file of the model that writes the answers. Without one, the last that was added to the"
                " data folder is used."
            ),
        ),
        "engine.llm_answer_tokens": Words(N_("Longest answer"), N_("In tokens, about three quarters of a word each.")),
        "engine.llm_context_tokens": Words(
            N_("Reading room of the model"),
            N_(
                "Tokens of the question, the messages and the answer together. 0 takes what the messages and"
                " the memory call for."
            ),
        ),
        "engine.llm_threads": Words(
            N_("Cores that write"), N_("Threads of the language model. 0 takes every physical core."),
        ),
        "engine.llm_batch_tokens": Words(
            N_("Tokens read at a time"),
            N_("How much of the messages the language model reads at a time. 0 lets the number of cores decide."),
        ),
        "engine.llm_idle_s": Words(
            N_("Memory given back"),
            N_("Seconds without a question after which the language model gives its memory back. 0 keeps it."),
        ),
        "engine.llm_url": Words(
            N_("Answer server"),
            N_(
                "Address of a server that writes the answers, as http://192.168.1.20:8000/v1. The question and"
                " the messages found are sent to it."
            ),
        ),
        "engine.llm_remote_model": Words(N_("Model of the server"), N_("Name that this server gives to its model.")),
        "engine.llm_key_variable": Words(
            N_("Key of the server"),
            N_("Name of the environment variable that holds its key. The key itself is written nowhere."),
        ),
        "engine.unsupported_claims": Words(
            N_("Doubtful sentences"),
            N_("What becomes of a sentence that the messages it cites don’t support: marked or left out."),
        ),
        "engine.gate": Words(
            N_("Rules for questions"),
            N_(
                "Whether questions that the archive is not made for are turned away. The rules of your forum"
                " stand in gate.toml, in the data folder."
            ),
        ),
        "engine.evidence_max": Words(N_("Messages for an answer"), N_("Most messages that an answer may cite.")),
        "engine.evidence_neighbours": Words(N_("Neighbours read"), N_("Messages read before and after each of them.")),
        "engine.evidence_tokens": Words(
            N_("Room of the messages"), N_("Tokens of all the messages given to an answer."),
        ),
        "engine.long_topic_posts": Words(
            N_("Long topics"), N_("From this many messages on, a topic may give two of the messages of an answer."),
        ),
    },
    N_("Searching"): {
        "engine.spelling": Words(
            N_("Misspelt words"), N_("Whether a word that no message holds is read as its nearest neighbour."),
        ),
        "engine.combine": Words(
            N_("Second look at the results"),
            N_("Whether the best results are ordered again with what both ways of searching know."),
        ),
        "engine.lexical_weight": Words(
            N_("Weight of exact words"), N_("Share of the exact words in the order of the results."),
        ),
        "engine.dense_weight": Words(N_("Weight of meaning"), N_("Share of the meaning in the order of the results.")),
        "engine.index_url": Words(
            N_("Search engine"),
            N_(
                "Address of a Milvus server that holds the indexes, as http://192.168.1.20:19530, or a .db file of the"
                " data folder. Without one they lie in the data folder, which is what one computer needs."
            ),
        ),
        "engine.index_key_variable": Words(
            N_("Key of the search engine"),
            N_("Name of the environment variable that holds its key. The key itself is written nowhere."),
        ),
        "engine.index_kept_s": Words(
            N_("Former rows kept (seconds)"),
            N_(
                "How long the search engine keeps what an update replaced, for servers that still read the former copy."
                " Five minutes by default where “snapshots” is set."
            ),
        ),
        "engine.rrf_k": Words(
            N_("Smoothing of the ranks"),
            N_("k of the formula that brings both orders together. Higher, and the first ranks count less."),
        ),
        "engine.candidates": Words(
            N_("Results compared"), N_("Messages asked of each way of searching before they are brought together."),
        ),
        "engine.reranker_model": Words(
            N_("Model that reads again"),
            N_("Folder of a model that reads the best results again. Without one, the order stands."),
        ),
        "engine.reranker_url": Words(
            N_("Server that reads again"),
            N_(
                "Address of a server that reads the best results again, as http://192.168.1.20:8081. The question and"
                " extracts of the messages found are sent to it."
            ),
        ),
        "engine.reranker_remote_model": Words(
            N_("Model of the server that reads again"), N_("Name that this server gives to its model."),
        ),
        "engine.reranker_key_variable": Words(
            N_("Key of the server that reads again"),
            N_("Name of the environment variable that holds its key. The key itself is written nowhere."),
        ),
        "engine.rerank_deadline_s": Words(
            N_("Patience for the second reading"), N_("Seconds that a search waits for this model."),
        ),
    },
    N_("Preparation of the search"): {
        "engine.language": Words(N_("Language of the archive"), N_("For the endings and the small words.")),
        "engine.bge_model": Words(
            N_("Model to search by meaning"),
            N_("Folder of bge-m3. Without one, the small model that comes with the application is used."),
        ),
        "engine.bge_precision": Words(N_("Precision of bge-m3"), N_("How it counts; automatic fits this processor.")),
        "engine.encoder_url": Words(
            N_("Server for the meaning"),
            N_(
                "Address of a server that reads texts for their meaning, as http://192.168.1.20:8080/v1. All public"
                " messages, the questions and the sentences of the answers are sent to it."
            ),
        ),
        "engine.encoder_remote_model": Words(
            N_("Model of the server for the meaning"),
            N_("Name that this server gives to its model. Under another name all messages are read again."),
        ),
        "engine.encoder_key_variable": Words(
            N_("Key of the server for the meaning"),
            N_("Name of the environment variable that holds its key. The key itself is written nowhere."),
        ),
        "engine.encoder_query_prefix": Words(
            N_("Before a question"),
            N_("What this model wants before a question; for the e5 family, “query” and a colon."),
        ),
        "engine.encoder_passage_prefix": Words(
            N_("Before an extract"),
            N_("What this model wants before an extract; for the e5 family, “passage” and a colon."),
        ),
        "engine.forum_vectors": Words(
            N_("Meaning that a backup brings"), N_("Whether what the forum itself computed with bge-m3 is used."),
        ),
        "engine.embed_batch": Words(N_("Extracts read at a time"), N_("More goes faster and takes more memory.")),
        "engine.window_chars": Words(
            N_("Length of an extract"),
            N_("Longest piece of a message that is read for its meaning at once, in characters."),
        ),
        "engine.window_overlap_chars": Words(
            N_("Overlap of extracts"), N_("Characters that two neighbouring extracts of a long message share."),
        ),
        "engine.min_dense_chars": Words(
            N_("Short messages"),
            N_("Below this many characters (“+1”, “thanks”) a message is only found by its words."),
        ),
    },
    N_("Updates from the forum"): {
        "app.update_every_hours": Words(
            N_("Update from a backup"), N_("Hours between two updates while the application runs. 0 makes none."),
        ),
        "app.update_source": Words(
            N_("Backup to read"), N_("A backup, a folder where new backups arrive, or saved topics."),
        ),
        "app.sync_every_hours": Words(
            N_("Update from the forum itself"),
            N_("Hours between two updates while the application runs. 0 makes none."),
        ),
        "app.sync_url": Words(
            N_("Address of the forum"), N_("As https://forum.example.org. A key is only read from the environment."),
        ),
        "engine.sync_interval_s": Words(N_("Pace of the requests"), N_("Seconds between two requests to the forum.")),
        "engine.sync_contact": Words(
            N_("Contact"), N_("Address told to the forum with each request, for its administrator to write to you."),
        ),
        "engine.sync_recheck_requests": Words(
            N_("Second look"),
            N_("Requests spent at most on reading again what is already held. 0 reads nothing again."),
        ),
        "engine.sync_uploads_mb": Words(
            N_("Images and files"), N_("Megabytes for images and files of the forum. 0 fetches none."),
        ),
        "engine.import_uploads_mb": Words(
            N_("Images and files of backups"),
            N_("Megabytes for images and files of public messages that a backup holds. 0 keeps none."),
        ),
    },
    N_("Questions asked"): {
        "app.question_log": Words(
            N_("Log of the questions"),
            N_("Whether questions are kept, without who asked, so that moderators see what is missing."),
        ),
        "app.question_days": Words(N_("Days kept"), N_("Days after which a question is erased.")),
    },
    N_("Network and access"): {
        "app.lan": Words(
            N_("Open to the network"),
            N_("Whether other machines of the network may come, each person with a passphrase."),
        ),
        "app.host": Words(N_("Address of the server"), N_("127.0.0.1 answers this computer only.")),
        "app.port": Words(N_("Port of the server"), N_("The number at the end of the address.")),
        "app.hosts": Words(
            N_("Other names of the server"),
            N_("Names under which it is reached, as that of a reverse proxy; commas between them."),
        ),
        "app.trusted_proxies": Words(
            N_("Trusted proxies"),
            N_("Addresses or networks of the reverse proxies that may tell for whom they ask; commas between them."),
        ),
        "app.certificate": Words(N_("Certificate"), N_("To serve HTTPS (PEM).")),
        "app.key": Words(
            N_("Key of the certificate"), N_("Path of the private key (PEM). What is in it is shown nowhere."),
        ),
        "app.reader_session_days": Words(N_("Readers stay"), N_("Days for which the readers’ passphrase lets in.")),
        "app.moderator_session_hours": Words(
            N_("Moderators stay"), N_("Hours for which the moderators’ passphrase lets in."),
        ),
    },
    N_("Several machines"): SEVERAL,
    N_("Application"): {
        "app.language": Words(N_("Language of the screen"), N_("That of the sentences of the application.")),
        "app.native": Words(
            N_("Window of its own"), N_("Whether the application opens its own window rather than a browser."),
        ),
        "app.log_level": Words(
            N_("Detail of the logs"),
            N_("Least severe events written there. No text of a message or of a question goes there above debug."),
        ),
        "app.queue_url": Words(
            N_("Carrier of the tasks"),
            N_("Redis that carries tasks to the worker. Without one, a file of the data folder."),
        ),
    },
})  # fmt: skip

# The values that come from a list, as settings.toml names them.
OPTIONS: Final[Mapping[str, str]] = MappingProxyType({
    "on": N_("yes"),
    "off": N_("no"),
    "mark": N_("marked"),
    "drop": N_("left out"),
    "fr": N_("French"),
    "en": N_("English"),
    "auto": N_("automatic"),
    "use": N_("used"),
    "ignore": N_("ignored"),
    "fp32": N_("exact (fp32)"),
    "bf16": N_("half (bf16)"),
    "int8": N_("coarse (int8)"),
    "debug": N_("everything (debug)"),
    "info": N_("the course of things (info)"),
    "warning": N_("warnings (warning)"),
    "error": N_("errors only (error)"),
})  # fmt: skip
