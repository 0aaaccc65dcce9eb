"""The table of all targets: name, function, and sources of inputs."""

from fuzz_answers import ANSWERS
from fuzz_documents import DOCUMENTS
from fuzz_passages import PASSAGES
from fuzz_servers import SERVERS
from fuzz_target import Target
from fuzz_values import VALUES

TARGETS: dict[str, Target] = {target.name: target for target in (*DOCUMENTS, *PASSAGES, *ANSWERS, *VALUES, *SERVERS)}
