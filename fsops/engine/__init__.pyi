from .runner import RunResult as RunResult, check as check, run as run
