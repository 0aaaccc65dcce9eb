"""Providers for model profiles."""

import asyncio
import subprocess
import sys

import pytest
from fakes import NoWords

from workbench.agent.offline.provider import OfflineProvider
from workbench.agent.providers.openai_provider import OpenAIProvider
from workbench.agent.providers.provider_factory import examine, provider_for
from workbench.errors import SettingError
from workbench.model.profile import OFFLINE, ModelProfile
from workbench.retrieval.answer_sentences import SentenceRanker

RANKER = SentenceRanker(None, NoWords())


def test_the_offline_profile_needs_no_server() -> None:
    assert isinstance(provider_for(OFFLINE, ranker=RANKER), OfflineProvider)


def test_any_other_profile_speaks_to_its_server() -> None:
    async def scenario() -> None:
        provider = provider_for(ModelProfile("p", "localhost:11434", "m"), key="k", ranker=RANKER)
        assert isinstance(provider, OpenAIProvider)
        assert provider.target.base_url == "http://localhost:11434/v1"
        await provider.close()

    asyncio.run(scenario())


def test_a_wrong_address_is_refused_before_anything_is_sent() -> None:
    with pytest.raises(SettingError):
        provider_for(ModelProfile("p", "ftp://host", "m"), ranker=RANKER)


def test_testing_the_offline_profile_reports_that_it_needs_no_connection() -> None:
    report = asyncio.run(examine(OFFLINE, "", lambda _found: None))
    assert report.works
    assert "No connection" in report.abilities[0].words


def test_openai_is_not_imported_before_a_provider_of_it_is_built() -> None:
    modules = "workbench.agent.providers.provider_factory, workbench.agent.agent_loop"
    code = f"import sys, {modules}; sys.exit('openai' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0
