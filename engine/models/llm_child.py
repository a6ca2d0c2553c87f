"""The language model's own process: JSON lines in, JSON lines out, the only importer of llama.cpp.

A crash of llama.cpp, an illegal instruction or a prompt that must be abandoned ends this process and
nothing else. It ends by itself when its standard input closes, which is how it learns that its parent died, and when
nothing is asked of it for `idle_s` seconds (0: never).

    → {"do": "load", "path", "n_ctx", "n_threads", "n_batch",    ← {"ready": true}
       "idle_s"}
    → {"do": "hello", "id"}                                      ← {"id", "here": true}
    → {"do": "count", "id", "text"}                              ← {"id", "count"}
    → {"do": "generate", "id", "messages", "max_tokens"}         ← {"id", "piece"} …
                                                                   {"id", "end": "stop" | "length"}
    → {"do": "cancel", "id"}                                     ← {"id", "end": "cancelled"}
    → {"do": "shutdown"}                                           it ends
                                        instead of any of these: ← {"id", "error": "load" | …, "reason"}
"""

from __future__ import annotations

import json
import os
import queue
import signal
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO

SEED = 1  # 0 would mean "random"; with temperature 0 it decides nothing
# A model without a chat template only continues a text: it must not write the next question itself.
PLAIN_ENDING = "\n\nRéponse :"
PLAIN_STOPS = ("\nQuestion", "\n###", "\n<")

# What llama-cpp-python raises for a bad file, a bad template or a failed decode.
_LIBRARY_ERRORS = (ValueError, RuntimeError, OSError, AssertionError, MemoryError, TypeError)


def main() -> int:
    """Serve one parent until it says "shutdown" or goes away; the exit status is 0."""
    # Ctrl-C reaches the whole terminal group: the parent decides what becomes of this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    requests, replies = _take_streams()
    inbox = _Inbox(requests)
    model: _Model | None = None
    for request in inbox:
        match request:
            case {"do": "load"}:
                model, reply = _load(request)
                inbox.idle_s = request.get("idle_s", 0.0)
                _send(replies, reply)
            case {"do": "hello", "id": int(turn)}:
                _send(replies, {"id": turn, "here": True})
            case {"do": "count", "id": int(turn), "text": str(text)} if model:
                _send(replies, {"id": turn, "count": model.count(text)})
            case {"do": "generate", "id": int(turn)} if model:
                for reply in _generate(model, request, inbox, turn):
                    _send(replies, {"id": turn, **reply})
            case {"do": "shutdown"}:
                break
    return 0


def _take_streams() -> tuple[BinaryIO, BinaryIO]:
    """Our pipe ends, moved where what llama.cpp writes to descriptors 1 and 2 can't reach them."""
    requests, replies = os.dup(0), os.dup(1)
    void = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(void, descriptor)
    return os.fdopen(requests, "rb"), os.fdopen(replies, "wb")


def _send(replies: BinaryIO, reply: dict[str, Any]) -> None:
    try:
        replies.write(json.dumps(reply).encode("ascii") + b"\n")
        replies.flush()
    except OSError:
        os._exit(0)  # nobody listens any more


class _Inbox:
    """Requests in order, until none comes for `idle_s` seconds (0: for ever).

    A thread reads them, so that "cancel" and the parent's death are seen at once.
    """

    def __init__(self, requests: BinaryIO) -> None:
        self.idle_s = 0.0
        self._waiting: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._cancelled = 0
        threading.Thread(target=self._read, args=(requests,), daemon=True).start()

    def __iter__(self) -> Iterator[dict[str, Any]]:
        while True:
            try:
                yield self._waiting.get(timeout=self.idle_s or None)
            except queue.Empty:
                return

    def cancelled(self, turn: int) -> bool:
        return self._cancelled >= turn

    def _read(self, requests: BinaryIO) -> None:
        try:
            for line in requests:
                request = json.loads(line)
                if request["do"] == "cancel":
                    self._cancelled = max(self._cancelled, request["id"])
                else:
                    self._waiting.put(request)
        finally:  # a parent killed in the middle of a line leaves one that can't be read
            # The main thread may be deep inside llama.cpp: only a hard exit is sure.
            os._exit(0)


@dataclass(slots=True)
class _Model:
    """A loaded GGUF, with its chat template when it has one and the texts that steer a chat."""

    llama: Any
    template: Any
    control: tuple[str, ...] = field(default=())

    def count(self, text: str) -> int:
        return len(self.llama.tokenize(text.encode(), add_bos=False, special=False))

    def prompt(self, messages: list[dict[str, str]]) -> tuple[list[int], list[str]]:
        """The prompt's tokens and the texts that stop the answer."""
        messages = [{"role": m["role"], "content": self._harmless(m["content"])} for m in messages]
        if self.template is None:
            body = "\n\n".join(message["content"] for message in messages) + PLAIN_ENDING
            return self.llama.tokenize(body.encode(), add_bos=True, special=False), list(PLAIN_STOPS)
        try:
            formatted = self.template(messages=messages)
        except ValueError:  # some templates refuse a system message
            merged = "\n\n".join(message["content"] for message in messages)
            formatted = self.template(messages=[{"role": "user", "content": merged}])
        tokens = self.llama.tokenize(formatted.prompt.encode(), add_bos=not formatted.added_special, special=True)
        stop = formatted.stop or []
        return tokens, [stop] if isinstance(stop, str) else list(stop)

    def _harmless(self, text: str) -> str:
        # A post that holds "<|im_end|>" would otherwise end its own quotation and speak as the system.
        for mark in self.control:
            if mark in text:
                text = text.replace(mark, f"{mark[0]} {mark[1:]}")
        return text


def _load(request: dict[str, Any]) -> tuple[_Model | None, dict[str, Any]]:
    try:
        import llama_cpp
        from llama_cpp.llama_chat_format import Jinja2ChatFormatter
    except (ImportError, *_LIBRARY_ERRORS) as error:
        return None, {"error": "load", "reason": "library", "detail": str(error)}
    try:
        llama = llama_cpp.Llama(
            request["path"],
            n_ctx=request["n_ctx"],
            n_batch=request["n_batch"],
            n_ubatch=request["n_batch"],
            n_threads=request["n_threads"],
            n_threads_batch=request["n_threads"],
            flash_attn=False,  # said, because another choice rounds otherwise
            seed=SEED,
            verbose=False,
        )
        # A library built for another processor loads well and dies at its first computation: let it be now.
        llama.eval([max(llama.token_bos(), 0)])
        source = llama.metadata.get("tokenizer.chat_template")
        template = source and Jinja2ChatFormatter(
            template=source,
            eos_token=_token_text(llama, llama.token_eos()),
            bos_token=_token_text(llama, llama.token_bos()),
        )
        control = _control_texts(llama_cpp, llama) if source else ()
    except _LIBRARY_ERRORS as error:
        return None, {"error": "load", "reason": "file", "detail": str(error)}
    return _Model(llama, template or None, control), {"ready": True}


def _generate(model: _Model, request: dict[str, Any], inbox: _Inbox, turn: int) -> Iterator[dict[str, Any]]:
    llama, room = model.llama, request["max_tokens"]
    try:
        tokens, stops = model.prompt(request["messages"])
    except _LIBRARY_ERRORS as error:
        yield {"error": "prompt", "reason": "template", "detail": str(error)}
        return
    if len(tokens) + room > llama.n_ctx():
        yield {"error": "prompt", "reason": "too_long", "tokens": len(tokens)}
        return
    # A kept prefix changes the shapes of batches, hence roundings, hence the text: start from nothing.
    llama.reset()
    llama._ctx.kv_cache_clear()
    try:
        chunks = llama.create_completion(
            tokens,
            max_tokens=room,
            temperature=0.0,
            top_k=1,
            repeat_penalty=1.0,
            stop=stops,
            seed=SEED,
            stream=True,
        )
        for chunk in chunks:
            choice = chunk["choices"][0]
            if choice["text"]:
                yield {"piece": choice["text"]}
            if inbox.cancelled(turn):
                chunks.close()
                yield {"end": "cancelled"}
                return
            if choice["finish_reason"]:
                yield {"end": choice["finish_reason"]}
                return
    except _LIBRARY_ERRORS as error:
        yield {"error": "tokens", "reason": "library", "detail": str(error)}
    else:
        yield {"end": "stop"}


def _token_text(llama: Any, token: int) -> str:
    return str(llama._model.token_get_text(token)) if token != -1 else ""


def _control_texts(llama_cpp: Any, llama: Any) -> tuple[str, ...]:
    """The texts of the vocabulary that are commands rather than words ("<|im_end|>", "[INST]")."""
    vocabulary = llama._model.vocab
    texts = (
        llama_cpp.llama_vocab_get_text(vocabulary, token).decode("utf-8", "replace")
        for token in range(llama.n_vocab())
        if llama_cpp.llama_vocab_is_control(vocabulary, token) or llama_cpp.llama_vocab_is_eog(vocabulary, token)
    )
    return tuple(sorted({text for text in texts if len(text) > 1}, key=len, reverse=True))


if __name__ == "__main__":
    raise SystemExit(main())
