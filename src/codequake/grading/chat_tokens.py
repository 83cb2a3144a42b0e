"""Control tokens of chat templates that come through in the text of a reply."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from codequake.grading.invisible import INVISIBLE

__all__ = ["begins_with_prompt", "first_turns", "without_special_tokens"]

# Tokens of a shape of their own; those in pipes and in wide pipes are told by their shape.
_NAMED = (
    *("<s>", "</s>", "[INST]", "[/INST]", "<<SYS>>", "<</SYS>>"),  # Llama 2, Mistral
    *("[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]"),
    *("[TOOL_CALLS]", "[TOOL_RESULTS]", "[/TOOL_RESULTS]"),
    *("<bos>", "<eos>", "<pad>", "<unk>"),
    *("<start_of_turn>", "<end_of_turn>", "<|turn>", "<turn|>"),  # Gemma
    *("[gMASK]", "<sop>", "<eop>"),  # GLM
    *("<eoh>", "<eoa>"),  # InternLM
    *("<end_of_utterance>", "<im_start>", "<im_end>"),  # SmolVLM, ChatML without its pipes
    *("<BOS_TOKEN>", "<EOS_TOKEN>"),  # Command R
    *("<seed:bos>", "<seed:eos>"),
    *("<\u7528\u6237>", "<AI>"),  # MiniCPM
    *("<EOT>", "<EOD>", "<PRE>", "<SUF>", "<MID>"),  # Code Llama
    *("<fim_prefix>", "<fim_middle>", "<fim_suffix>", "<fim_pad>", "<file_sep>"),  # StarCoder
)
_TOKEN = (
    r"(?:<\|[A-Za-z_][A-Za-z0-9_-]{1,39}\|>|\[\|[a-z_]{2,32}\|\]"
    r"|<\uff5c[^\uff5c<>\n]{2,40}\uff5c>"
    r"|<role>[A-Za-z]{2,16}</role>|<reserved_\d{1,4}>|<extra_id_\d{1,3}>|<SPECIAL_\d{1,4}>"
    r"|\[UNUSED_TOKEN_\d{1,4}\]|<TOKENS_UNUSED_\d{1,3}>|" + "|".join(map(re.escape, _NAMED)) + ")"
)
_ROLE = r"(?i:assistant|model|system|user|human|ai|bot|gpt|chatbot)"
_SPECIAL = re.compile(_TOKEN)
# The name of the role belongs to the token before it when nothing else stands on its line.
_START = re.compile(rf"[\s{INVISIBLE}]*(?:{_TOKEN}(?:[ \t]*{_ROLE}(?=[ \t]*\r?\n|{_TOKEN}))? *)+")
_PROMPT = re.compile(r"user|system|human|prompter|\[INST\]|SYS>>", re.IGNORECASE)
_LONGEST = 64
_EDGE = re.compile(rf"[\s{INVISIBLE}]")

# What comes behind these is no longer the answer.  The mark of the model's own role is none of
# them, nor is [/INST]: they end a prompt.
_END_NAMES = (
    r"eot|eot_id|eom|eom_id|eos|eod|end|return|call|im_end|turn_end|endofturn|endoftext"
    r"|endofassistant|endofresponse|assistant_end"
    r"|end_?of_?(?:text|turn|sentence|message|response|utterance|document|sequence)(?:_token)?"
)
_USER_NAMES = r"im_user|im_system|prompter|(?:user|system|human|observation)(?:_start)?"
_HEADER_NAMES = (
    r"im_start|start|start_header_id|header_start|role_start|turn_start"
    r"|start_of_(?:turn|role)(?:_token)?"
)
_BOUNDARY = re.compile(
    rf"<\|(?:{_END_NAMES}|{_USER_NAMES})\|>|\[\|(?:{_END_NAMES}|{_USER_NAMES})\|\]"
    rf"|(?:<\|(?:{_HEADER_NAMES})\|>|<start_of_turn>|<im_start>|<\|turn>|<extra_id_1>)"
    r"(?!\s*(?:assistant|model|bot|ai)\b)"
    r"|<\uff5c(?:end\u2581of\u2581sentence|User|hy_[^\uff5c<>\n]{2,36})\uff5c>"
    r"|</s>|^\[INST\]|<eos>|<end_of_turn>|<turn\|>|<eop>|<eoh>|<eoa>|<end_of_utterance>"
    r"|<im_end>|<EOS_TOKEN>|<seed:eos>|<\u7528\u6237>|<EOT>|<EOD>|<role>(?:human|user)</role>"
    r"|<reserved_106>|\[UNUSED_TOKEN_14[56]\]|<file_sep>",
    re.IGNORECASE | re.MULTILINE,
)
_QUOTE = re.compile(r"\"|(?<![^\W\d_])'|'(?![^\W\d_])")
_LONG_QUOTES = ('"""', "'''")
_QUOTES = ('"', "'", "`")
_MOST_TURNS = 4
_MOST_TOKENS = 64


def without_special_tokens(text: str) -> tuple[str, bool]:
    """Cut the control tokens of chat templates from both ends of a text; tell whether any was.

    The name of a role that follows a token at the start goes with it.
    """
    start, end, cut = 0, len(text), False
    if head := _START.match(text):
        start, cut = head.end(), True
    while start < end:
        last = end
        while last > start and _EDGE.match(text[last - 1]):
            last -= 1
        ends = list(_SPECIAL.finditer(text, max(start, last - _LONGEST), last))
        if not ends or ends[-1].end() != last:
            break
        end, cut = ends[-1].start(), True
    return text[start:end], cut


def begins_with_prompt(text: str) -> bool:
    """Whether a reply begins with the mark of a turn that is not the model's: an echoed prompt."""
    head = _START.match(text)
    return head is not None and _PROMPT.search(head[0]) is not None


def first_turns(text: str) -> Iterator[str]:
    """Yield what stands before a token that ends a turn, or begins that of the user, in order.

    Tokens in strings, in backticks and amid a sentence are text about tokens and are passed over.
    At most four pieces, from the first 64 tokens.
    """
    yielded = 0
    for token in itertools.islice(_BOUNDARY.finditer(text), _MOST_TOKENS):
        before = text[: token.start()]
        if not before.strip() or _is_mentioned(before, text[token.end() : token.end() + 3]):
            continue
        yield before
        yielded += 1
        if yielded >= _MOST_TURNS:
            return


def _is_mentioned(before: str, after: str) -> bool:
    if before.endswith(_QUOTES) and not before.endswith("```"):
        return True
    if after.startswith(_QUOTES) and not after.startswith("```"):
        return True
    if before.endswith((" ", "\t")) and after and after[0] not in "\r\n<[":
        return True
    if any(before.count(mark) % 2 for mark in _LONG_QUOTES):
        return True
    line = before[before.rfind("\n") + 1 :]
    for mark in _LONG_QUOTES:
        line = line.replace(mark, "")
    return len(_QUOTE.findall(line)) % 2 == 1
