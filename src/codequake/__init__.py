"""Tell whether a code-generating model still writes working code when only the words change."""

from codequake.records import Completion, Estimate, Problem, Variant, Verdict

__all__ = ["Completion", "Estimate", "Problem", "Variant", "Verdict", "__version__"]

__version__ = "0.1.0"
