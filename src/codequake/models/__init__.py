"""Asks models; the only folder that imports Inspect AI and the bundled model's engine."""

from codequake.models.behaviour import Behaviour, behaviour_names, load_behaviour
from codequake.models.generator import AnswerCounts, answer_requests
from codequake.models.inspect_sandbox import (
    InspectSandboxBackend,
    inspect_provider_names,
    open_inspect_backend,
)
from codequake.models.logs import CALLS, ENGINE, Call, LogHead, LogRow, write_logs
from codequake.models.open import OpenModel, Retries, is_local, open_model
from codequake.models.prompts import render_messages, render_stages, style_names
from codequake.models.simulate import SimContext
from codequake.models.stages import Part, Stage, StageMessage, fill_stage
from codequake.models.templates import StageTemplate, Template, check_template
from codequake.models.weights import fetch_weights, find_weights

__all__ = [
    "CALLS",
    "ENGINE",
    "AnswerCounts",
    "Behaviour",
    "Call",
    "InspectSandboxBackend",
    "LogHead",
    "LogRow",
    "OpenModel",
    "Part",
    "Retries",
    "SimContext",
    "Stage",
    "StageMessage",
    "StageTemplate",
    "Template",
    "answer_requests",
    "behaviour_names",
    "check_template",
    "fetch_weights",
    "fill_stage",
    "find_weights",
    "inspect_provider_names",
    "is_local",
    "load_behaviour",
    "open_inspect_backend",
    "open_model",
    "render_messages",
    "render_stages",
    "style_names",
    "write_logs",
]
