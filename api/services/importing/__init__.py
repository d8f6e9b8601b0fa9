"""Use case: import a feed. What it would change is worked out first, then published as a whole."""

from api.services.importing.plan import BookPlan, ImportPlan, Planned, plan_import
from api.services.importing.publish import publish_import

__all__ = ["BookPlan", "ImportPlan", "Planned", "plan_import", "publish_import"]
