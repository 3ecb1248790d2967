from .checks.problems import Problem as Problem
from .checks.validation import validate as validate
from .declare.capabilities import Accepts as Accepts
from .declare.parameters import (
    AttributeName as AttributeName,
    AttributeNames as AttributeNames,
    Expert as Expert,
    File as File,
    InnerParameters as InnerParameters,
    MacroName as MacroName,
    When as When,
)
from .declare.ports import Named as Named, Port as Port, Subprocess as Subprocess
from .frame.context import Context as Context
from .graph.process import Node as Node, Process as Process
from .operator import (
    Aliases as Aliases,
    Operator as Operator,
    operator as operator,
    operator_of as operator_of,
)
from .registry import Registry as Registry
