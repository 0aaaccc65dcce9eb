"""Differences between a claim and a passage; tests/benchmarks/claim_changes.py measures the recall."""

import pytest

from workbench.agent.claims.differences import differences


@pytest.mark.parametrize(
    ("passage", "claim", "there", "here"),
    [
        ("The plant grows at high altitudes in the Andes.", "It grows at low altitude.", "high", "low"),
        ("Sales rose by 5% in 2020.", "Sales fell by 5% in 2020.", "rose", "fell"),
        ("The bridge was opened before the war.", "The bridge opened after the war.", "before", "after"),
        ("Taking part is legal here.", "Taking part is illegal here.", "legal", "illegal"),
        ("The cell cannot live here.", "The cell can live here.", "cell cannot live here", "cell can live here"),
        ("The tower is 5 km away.", "The tower is 5 miles away.", "5 km", "5 miles"),
        ("The rate fell by 2 percent.", "The rate fell by 2 percentage points.", "2 percent", "2 percentage points"),
        ("It cost more than $5 million.", "It cost less than $5m.", "more than $5 million", "less than $5m"),
        ("The club has three halls.", "The club has five halls.", "three", "five"),
        ("Keller hired Novak in 2001.", "Novak hired Keller in 2001.", "Keller hired Novak", "Novak hired Keller"),
        ("The line ran from Lund to Ystad.", "The line ran from Ystad to Lund.", "Lund to Ystad", "Ystad to Lund"),
        ("该植物生长在高海拔地区。", "该植物生长在低海拔地区。", "高", "低"),
        ("公司銷售額減少了5%。", "公司銷售額增加了5%。", "減少", "增加"),
        ("该桥于1990年以后建成。", "该桥于1990年以前建成。", "1990年以后", "1990年以前"),
        ("该桥全长5公里。", "该桥全长5英里。", "5公里", "5英里"),
        ("該橋是鋼橋。", "該橋不是鋼橋。", "該橋是鋼橋", "該橋不是鋼橋"),
        ("上海队打败了北京队。", "北京队打败了上海队。", "上海队打败了北京队", "北京队打败了上海队"),
        # Roles around a verb, in either voice.
        (
            "Keller later hired Novak.",
            "Keller was hired by Novak.",
            "Keller later hired Novak",
            "Keller was hired by Novak",
        ),
        (
            "The Rocket entered and won the Lund Trials.",
            "The Lund Trials entered and gained the Rocket.",
            "Rocket entered and won the Lund Trials",
            "Lund Trials entered and gained the Rocket",
        ),
        ("More Danes than Swedes came.", "More Swedes than Danes came.", "Danes than Swedes", "Swedes than Danes"),
        ("李明在决赛中打败了王强。", "李明被王强打败。", "李明在决赛中打败了王强", "李明被王强打败"),
        ("王强被李明打败。", "王强在决赛中打败了李明。", "王强被李明打败", "王强在决赛中打败了李明"),
        # Another name after the same words.
        (
            "The town is governed by the Labor Party, as ever.",
            "The town is governed by the Rural Council.",
            "Labor Party",
            "Rural Council",
        ),
        # Chinese negations, each with the negated words.
        ("他没有参加会议，但签署了协议。", "他没有参加会议，也没有签署协议。", "签署", "没有签署"),
        ("该镇不设法院，事务由县管理。", "该镇不设法院，事务不由县管理。", "事务由县管", "事务不由县管"),
        # Opposites, alone and as part of a word.
        ("The soil there is fertile.", "The soil there is barren.", "fertile", "barren"),
        ("The firm is solvent now.", "The firm is bankrupt now.", "solvent", "bankrupt"),
        ("当地土壤十分肥沃。", "当地土壤十分贫瘠。", "肥沃", "贫瘠"),
        ("该岛人口大量减少。", "该岛人口小量减少。", "大量", "小量"),
    ],
)
def test_e37_the_contradicting_words_of_claim_and_passage_are_reported(
    passage: str, claim: str, there: str, here: str
) -> None:
    assert [(one.passage, one.claim) for one in differences(claim, passage)] == [(there, here)]


@pytest.mark.parametrize(
    ("passage", "claim"),
    [
        ("The plant grows at high altitudes in the Andes.", "The plant is not found at low altitudes."),
        ("The bridge was opened after the war.", "The war came before the bridge was opened."),
        ("Keller hired Novak in 2001.", "Novak was hired by Keller in 2001."),
        ("Salt and oil are sold here.", "Oil and salt are sold here."),
        ("It cost at least $5 million.", "It cost no less than $5m."),
        ("The road is 5 kilometres long.", "The road is 5 km long."),
        ("It is not only large but old.", "It is large and old."),
        ("All towns except Ystad were not harmed.", "Ystad was harmed."),
        ("该路全长5公里。", "这条路长5千米。"),
        ("该公司不仅生产汽车。", "该公司生产汽车。"),
        ("In 1990 Keller built the mill.", "Keller built the mill in 1990."),
        ("Keller later hired Novak.", "Novak was later hired by Keller."),
        ("Corliss was given the Rumford Medal.", "The Rumford Medal was given to Corliss."),
        (
            "The Governor of Lund, currently Linda Novak, resigned.",
            "Linda Novak, the current Governor of Lund, resigned.",
        ),
        ("李明在决赛中打败了王强。", "王强在决赛中被李明打败。"),
        ("这是不是一座钢桥，目前仍有争议。", "这座桥是钢桥与否有争议。"),
        ("\u0130", "\u0130 [1]"),
    ],
)
def test_a_paraphrase_is_not_reported_as_a_difference(passage: str, claim: str) -> None:
    assert differences(claim, passage) == ()


def test_a_number_found_nowhere_is_reported_only_once() -> None:
    assert differences("The club has 5 halls.", "The club has 3 halls.", known=("5",)) == ()
