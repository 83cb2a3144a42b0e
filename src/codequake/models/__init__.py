"""Asks models; the only folder that imports Inspect AI and the bundled model's engine."""

from codequake.models.behaviour import Behaviour, behaviour_names, load_behaviour
from codequake.models.generator import AnswerCounts, answer_requests
from codequake.models.inspect_sandbox import (
    InspectSandboxBackend,
    inspect_provider_names,
    open_inspect_backend,
)
from codequake.models.logs import LogHead, LogRow, write_logs
from codequake.models.open import OpenModel, Retries, is_local, open_model
from codequake.models.prompts import render_messages, style_names
from codequake.models.simulate import SimContext
from codequake.models.templates import Template, check_template
from codequake.models.weights import fetch_weights, find_weights

__all__ = [
    "AnswerCounts",
    "Behaviour",
    "InspectSandboxBackend",
    "LogHead",
    "LogRow",
    "OpenModel",
    "Retries",
    "SimContext",
    "Template",
    "answer_requests",
    "behaviour_names",
    "check_template",
    "fetch_weights",
    "find_weights",
    "inspect_provider_names",
    "is_local",
    "load_behaviour",
    "open_inspect_backend",
    "open_model",
    "render_messages",
    "style_names",
    "write_logs",
]
