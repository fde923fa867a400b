from proctor.guard.current_session import guarded_tool as guarded_tool
from proctor.project import Project as Project
from proctor.project import evaluate as evaluate
from proctor.wiring.guard import Guard as Guard
from proctor.wiring.wrap_target import guarded as guarded
from proctor.workflows.evaluation import Evaluation as Evaluation

__version__: str
