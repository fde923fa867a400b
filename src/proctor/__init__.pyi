from proctor.guard.current import guarded_tool as guarded_tool
from proctor.wiring.guard import Guard as Guard
from proctor.wiring.guarding import guarded as guarded

__version__: str
