# ruff: noqa: E501 - texts as people write them, one paragraph to a line
"""Short documents of the kinds that the shared data lacks, with a question each and the words that answer it.

Labels and questions were written before the rules of `auto` were changed. Each entry: label, suffix, text, question,
answer.
"""

from __future__ import annotations

from typing import NamedTuple


class Sample(NamedTuple):
    label: str
    suffix: str
    text: str
    question: str
    answer: str


WRITTEN = (
    Sample(
        "legal",
        "md",
        """# Mutual Non-Disclosure Agreement

This Agreement is made between Halden Ltd and Borel GmbH (the "parties").

1. Each party shall keep the other's confidential information secret and shall not disclose it to any third party.

2. The obligations of clause 1 survive for five years after termination.

3. This Agreement is governed by the laws of Austria.
""",
        "how long must secrets be kept after the agreement ends",
        "five years after termination",
    ),
    Sample(
        "legal",
        "txt",
        """LEASE

The Lessor lets to the Lessee the flat at Mill Lane 4.

The Lessee shall pay a rent of 900 euros on the first day of each month. Pets are permitted with the prior written consent of the Lessor.

The deposit shall be returned within eight weeks after the end of the lease, less any sums due for damage.

Either party may terminate this lease by giving three months' notice in writing.
""",
        "when does the tenant get the deposit back",
        "within eight weeks after the end of the lease",
    ),
    Sample(
        "legal",
        "md",
        """# Terms of Service

By using the Service you agree to these Terms. If you do not agree, you may not use the Service.

## Liability

To the fullest extent permitted by law, the Company shall not be liable for any indirect or consequential damages.

## Termination

We may suspend or terminate your account at any time if you breach these Terms. Upon termination, your licence to use the Service ends.

## Governing law

These Terms are governed by the laws of Ireland, and the courts of Dublin have exclusive jurisdiction.
""",
        "which courts are responsible",
        "the courts of Dublin have exclusive jurisdiction",
    ),
    Sample(
        "legal",
        "md",
        """# Employment Contract

**Between** Norda AS, hereinafter "the Employer", **and** Ms E. Lind, hereinafter "the Employee".

§ 1 The Employee shall commence work on 1 March as an electrician.

§ 2 The weekly working time shall be 37.5 hours. Overtime shall be compensated pursuant to the collective agreement.

§ 3 During the first six months either party may terminate the contract with two weeks' notice.

§ 4 The Employee shall treat all business matters as confidential.
""",
        "notice period while on probation",
        "two weeks' notice",
    ),
    Sample(
        "legal",
        "txt",
        """Section 12. Duty to report.

(1) Whoever operates a boiler shall report any leak to the authority without undue delay.

(2) The authority may order the operator to shut down the boiler where this is necessary to avert danger.

(3) A person who contravenes subsection (1) is liable to a fine not exceeding 5,000 pounds.

Section 13. Exemptions. Subsection 12(1) does not apply to boilers of less than 10 kW.
""",
        "maximum fine for not reporting a leak",
        "a fine not exceeding 5,000 pounds",
    ),
    Sample(
        "legal",
        "md",
        """# Data Processing Addendum

The Processor shall process personal data only on documented instructions of the Controller.

The Processor shall notify the Controller of a personal data breach within 48 hours after having become aware of it.

Notwithstanding the foregoing, the Processor may engage sub-processors listed in Annex II. Pursuant to Article 28, the same obligations shall be imposed on them.
""",
        "how fast must a breach be notified",
        "within 48 hours after having become aware of it",
    ),
    Sample(
        "legal",
        "txt",
        """POWER OF ATTORNEY

I, Johan Vik, hereby appoint Maria Vik as my attorney-in-fact to act on my behalf.

The attorney is authorised to sell the property at Strandgaten 9 and to sign all documents required therefor.

This power of attorney shall expire on 31 December, unless revoked earlier in writing. It shall be governed by Norwegian law.
""",
        "which property may be sold",
        "the property at Strandgaten 9",
    ),
    Sample(
        "legal",
        "md",
        """# Software Licence

Subject to the terms herein, the Licensor grants the Licensee a non-exclusive, non-transferable licence to use the Software on two machines.

The Licensee shall not reverse engineer, sublicense or rent the Software.

The Software is provided "as is". The Licensor disclaims all warranties, and in no event shall its liability exceed the fees paid.
""",
        "on how many machines may the software run",
        "licence to use the Software on two machines",
    ),
    Sample(
        "legal",
        "md",
        """# Privacy Policy

We are the controller of your personal data. We process it pursuant to Article 6(1)(b) GDPR.

## Retention

Invoices are retained for seven years, as required by law. Other data shall be erased after twelve months.

## Your rights

You have the right to access, rectification and erasure, and to lodge a complaint with the supervisory authority.
""",
        "how long are invoices kept",
        "Invoices are retained for seven years",
    ),
    Sample(
        "legal",
        "txt",
        """SETTLEMENT AGREEMENT

WHEREAS a dispute arose between the parties concerning the delivery of steel; NOW, THEREFORE, the parties agree as follows:

The Defendant shall pay to the Claimant the sum of 40,000 dollars within thirty days.

Upon receipt of payment, the Claimant hereby releases the Defendant from all claims and liabilities arising out of the dispute.

Nothing herein shall be construed as an admission of liability.
""",
        "sum the defendant has to pay",
        "the sum of 40,000 dollars within thirty days",
    ),
    Sample(
        "legal",
        "md",
        """# Loan Agreement

Article 1. The Lender shall lend to the Borrower the amount of 15,000 francs.

Article 2. Interest accrues at four per cent per annum and is payable on 30 June.

Article 3. In the event of default, the entire amount shall become due immediately. The Borrower shall indemnify the Lender for the costs of collection.
""",
        "rate of interest",
        "Interest accrues at four per cent per annum",
    ),
    Sample(
        "legal",
        "txt",
        """Bylaws of the Rowing Club

Article I. Members. Any person over sixteen may apply. The board shall decide by majority.

Article II. Dues. Members shall pay annual dues by 31 January. A member in arrears for more than ninety days shall forfeit the right to vote.

Article III. Dissolution. Upon dissolution, assets shall pass to the town pursuant to the resolution of the general meeting.
""",
        "when does a member lose the vote",
        "in arrears for more than ninety days",
    ),
    Sample(
        "knowledge-base article",
        "md",
        """# Frequently asked questions

**How do I reset my password?**

Open the sign-in page, choose "Forgotten" and follow the link in the mail. The link works for one hour.

**Why was my card refused?**

Your bank asks for a second factor. Confirm the payment in its app and try again.

**Can I change my plan?**

Yes, under Account, at any time. The new price holds from the next month.
""",
        "how long does the reset link work",
        "The link works for one hour",
    ),
    Sample(
        "knowledge-base article",
        "txt",
        """Q: What does the blinking orange light mean?
A: The filter is full. Empty it and press the button for five seconds.

Q: Where is the serial number?
A: Under the lid, on the silver plate.

Q: Can I wash the brushes?
A: Yes, with warm water, but never in a machine.

Q: How long is the warranty?
A: Three years from the day you bought it.
""",
        "where do I find the serial number",
        "Under the lid, on the silver plate",
    ),
    Sample(
        "knowledge-base article",
        "md",
        """# Printer does not print

## Symptoms

Jobs stay in the queue, and the display says "Waiting".

## Cause

The driver lost the address of the printer after the router was replaced.

## Resolution

Remove the printer, add it again by its name, and print a test page.
""",
        "why do jobs stay in the queue",
        "The driver lost the address of the printer",
    ),
    Sample(
        "knowledge-base article",
        "md",
        """# Help: deliveries

### When will my parcel arrive?

Within three working days. Islands take two days more.

### What if nobody is at home?

The driver leaves it with a neighbour, or takes it to the shop on your street.

### Do you deliver on Saturdays?

Only in the city, and only before noon.
""",
        "what happens with the parcel when I am away",
        "The driver leaves it with a neighbour",
    ),
    Sample(
        "knowledge-base article",
        "txt",
        """Question: Is the tap water safe to drink?
Answer: Yes. It is tested every week.

Question: Why does it taste of chlorine in spring?
Answer: The pipes are cleaned in April, and a little chlorine stays for a few days.

Question: Whom do I call about a burst pipe?
Answer: The emergency line, 555 0199, at any hour.
""",
        "number to call for a burst pipe",
        "The emergency line, 555 0199",
    ),
    Sample(
        "knowledge-base article",
        "md",
        """# Account and billing

#### Why did I get two invoices?

You changed the plan in the middle of the month, so each half has its own.

#### Where do I enter my tax number?

In the profile, below the address.

#### How do I cancel?

Write to us before the 25th, and the month ends your contract.
""",
        "until which day can I cancel",
        "Write to us before the 25th",
    ),
    Sample(
        "knowledge-base article",
        "md",
        """# How to connect a second screen

**Problem:** the second screen stays black.

**Solution:** press the key with the two screens until the picture appears. If it does not, replace the cable with the short one from the box.

**Still not working?** The port beside the power plug carries no picture. Use the other one.
""",
        "which port carries no picture",
        "The port beside the power plug carries no picture",
    ),
    Sample(
        "knowledge-base article",
        "md",
        """# FAQ for exhibitors

1. **When can we set up?** From Thursday at noon. Cars leave the hall by six.

2. **Is there power at the stand?** One socket is included. A second one costs 40 euros.

3. **Who cleans the stand?** We do, every night. Leave bins in front of it.
""",
        "price of another socket",
        "A second one costs 40 euros",
    ),
    Sample(
        "knowledge-base article",
        "md",
        """# Troubleshooting the heat pump

## Why is there ice on the fan?

Ice forms when the sensor is dirty. Wipe it with a dry cloth, and let the pump thaw for an hour.

## Why does it switch off at night?

The night mode is on. Hold the moon key to end it.

## What does error 31 mean?

The water pressure is below one bar. Fill up to 1.5 bar.
""",
        "what is error 31",
        "The water pressure is below one bar",
    ),
    Sample(
        "knowledge-base article",
        "txt",
        """How do I borrow a book?

Show your card at the desk, or use the machine beside it.

How many books may I take?

Ten at a time, and four films.

What does it cost if I am late?

Twenty cents a day for each book, up to five euros.

Can I reserve a book that is out?

Yes, in the catalogue. We keep it for a week.
""",
        "fee for late books",
        "Twenty cents a day for each book",
    ),
    Sample(
        "knowledge-base article",
        "md",
        """# Common questions about the app

## Does it work offline?

Maps that you saved work offline. Search does not.

## Why does it ask for my location?

To show what is near. You can refuse and type a street instead.

## How do I delete my data?

Settings, Privacy, Delete. It is gone within a day.
""",
        "what works without a connection",
        "Maps that you saved work offline",
    ),
    Sample(
        "knowledge-base article",
        "md",
        """# Membership questions

Q. Who can join?

A. Anybody who lives in the valley and is at least fourteen.

Q. What does it cost?

A. Thirty euros a year, half for students.

Q. Where is the key of the hut?

A. With the baker. Sign the book when you take it.
""",
        "who keeps the key of the hut",
        "With the baker",
    ),
    Sample(
        "paper",
        "md",
        """# Sparse retrieval with learned term weights

**Abstract.** We propose a method to learn term weights for sparse retrieval. On four collections it improves nDCG@10 by 3.1 points over BM25 [1].

## 1 Introduction

Sparse retrieval is fast and interpretable [2, 3]. However, term frequencies are a weak signal (Smith et al., 2019).

## 2 Method

Let $w_t$ be the weight of term $t$. We train a linear model on clicks.

## 3 Results

Table 1 shows that our method outperforms the baselines (p < 0.05).

## References

[1] Robertson et al. Okapi at TREC-3. [2] Doe. Inverted files.
""",
        "by how many points does the method improve over BM25",
        "improves nDCG@10 by 3.1 points over BM25",
    ),
    Sample(
        "paper",
        "md",
        """# The effect of shade on trout growth

## Abstract

We measured growth of 412 trout in shaded and open streams. Fish in shaded streams grew 12% faster in summer.

## Materials and methods

Fish were tagged in April and recaptured in September (n = 412). Differences were tested with a mixed model.

## Discussion

Lower temperature explains most of the effect (Jonsson, 2011; Elliott et al., 2015). Predation may also play a role.

## Acknowledgements

We thank the rangers.
""",
        "how much faster did fish grow in shaded streams",
        "Fish in shaded streams grew 12% faster",
    ),
    Sample(
        "paper",
        "txt",
        """ON THE DECIDABILITY OF A FRAGMENT OF ARITHMETIC

Abstract. We show that the fragment with one quantifier alternation is decidable in exponential time.

1 Introduction

Since the work of Presburger [1], decidable fragments have been studied extensively [2, 4, 7]. We extend the result of Weispfenning [5].

2 Preliminaries

Definition 1. A formula is tame if every variable occurs once.

Theorem 2. Satisfiability of tame formulas is decidable in exponential time.

Proof. By induction on the number of quantifiers. QED

References

[1] M. Presburger, 1929.
""",
        "complexity of satisfiability of tame formulas",
        "Satisfiability of tame formulas is decidable in exponential time",
    ),
    Sample(
        "paper",
        "md",
        """# Sleep and memory consolidation in adolescents: a randomised trial

## Background

Sleep supports memory (Walker et al., 2004). Evidence in adolescents is scarce.

## Methods

We randomised 96 participants to a nap or to quiet rest. The primary outcome was recall after 24 hours. The trial was registered (doi:10.1000/182).

## Results

Participants who napped recalled 4.2 more words (95% CI 1.9 to 6.5).

## Conclusion

A short nap improves recall. Further studies should examine longer intervals.
""",
        "how many more words did people recall after a nap",
        "recalled 4.2 more words",
    ),
    Sample(
        "paper",
        "md",
        """# Graph pruning for approximate search

*arXiv preprint.* We present a pruning rule for proximity graphs. The state-of-the-art methods [3, 8] keep redundant edges.

## Related work

HNSW [3] and NSG [8] build graphs greedily. Zhang et al. (2021) prune by angle.

## Approach

We remove an edge $(u, v)$ if a path of two edges is shorter by a factor $\\alpha$:

$$d(u, w) + d(w, v) < \\alpha \\, d(u, v)$$

## Experiments

With $\\alpha = 1.2$ the graph has 38% fewer edges at equal recall.

## Conclusions

We show that pruning by detours is effective.
""",
        "how many edges are saved at equal recall",
        "38% fewer edges at equal recall",
    ),
    Sample(
        "paper",
        "md",
        """# A survey of erosion on gravel beaches

## Abstract

We review 83 studies of erosion on gravel beaches published between 1990 and 2020.

## Introduction

Gravel beaches dissipate wave energy (Carr, 1969; Powell et al., 1990). We focus on cross-shore transport.

## Findings

Fences reduce losses by a fifth, whereas groynes shift them downdrift (Brown et al., 2008).

## Bibliography

Carr, A. P. (1969). Size grading along a pebble beach.
""",
        "what do groynes do",
        "groynes shift them downdrift",
    ),
    Sample(
        "multimodal",
        "md",
        """# Assembly of the shelf

![The parts of the shelf](parts.png)

Figure 1: Two sides, four boards and sixteen screws.

![Side with pegs](pegs.png)

Figure 2: The pegs go into the inner holes.

| step | tool | minutes |
|---|---|---|
| pegs | hammer | 5 |
| boards | none | 10 |

![The finished shelf](done.png)

Figure 3: The finished shelf stands 3 cm from the wall.
""",
        "distance of the shelf from the wall",
        "stands 3 cm from the wall",
    ),
    Sample(
        "multimodal",
        "md",
        """# Field guide: gulls of the harbour

![Herring gull](herring.jpg)

Herring gull: pink legs, grey back, a red spot on the bill.

![Black-headed gull](black.jpg)

Black-headed gull: in summer the head is chocolate brown, not black.

![Common gull](common.jpg)

Common gull: greenish legs and a gentle face.

| bird | length |
|---|---|
| herring gull | 60 cm |
| common gull | 41 cm |
""",
        "which gull has greenish legs",
        "Common gull: greenish legs",
    ),
    Sample(
        "multimodal",
        "md",
        """# Quarterly dashboard

![Revenue by region](revenue.png)

*Revenue by region: the north grew most.*

| region | revenue | change |
|---|---|---|
| north | 410 | +12% |
| south | 380 | -3% |

![Visitors by week](visitors.png)

*Visitors by week: the peak is the week of the fair.*

| week | visitors |
|---|---|
| 12 | 5,100 |
| 13 | 7,900 |
""",
        "when was the peak of visitors",
        "the peak is the week of the fair",
    ),
    Sample(
        "multimodal",
        "html",
        """<html><body><h1>Knots</h1>
<figure><img src="bowline.png" alt="Bowline"><figcaption>Figure 1: The bowline makes a loop that does not slip.</figcaption></figure>
<figure><img src="hitch.png" alt="Clove hitch"><figcaption>Figure 2: The clove hitch holds a rope on a post.</figcaption></figure>
<table><tr><th>knot</th><th>use</th></tr><tr><td>bowline</td><td>rescue</td></tr><tr><td>clove hitch</td><td>mooring</td></tr></table>
<figure><img src="reef.png" alt="Reef knot"><figcaption>Figure 3: The reef knot ties two ends of one rope.</figcaption></figure>
</body></html>
""",
        "which knot does not slip",
        "The bowline makes a loop that does not slip",
    ),
    Sample(
        "multimodal",
        "md",
        """# Museum leaflet

![Room plan](plan.png)

Room plan of the ground floor. The cloakroom is left of the entrance.

![The bronze horse](horse.jpg)

The bronze horse, found in 1911 in the river.

![The blue vase](vase.jpg)

The blue vase, a gift of the guild of weavers.

![The clock](clock.jpg)

The clock of the town hall. It has only one hand.
""",
        "who gave the blue vase",
        "a gift of the guild of weavers",
    ),
    Sample(
        "multimodal",
        "md",
        """# Wiring of the control box

![Front view](front.png)

Figure 1. Front view with the three terminals.

| terminal | wire | signal |
|---|---|---|
| X1 | brown | 24 V |
| X2 | blue | ground |
| X3 | black | sensor |

![Rear view](rear.png)

Figure 2. Rear view. The jumper J4 selects the range.
""",
        "which jumper selects the range",
        "The jumper J4 selects the range",
    ),
    Sample(
        "prose",
        "txt",
        """The ferry left late, as it did every Thursday, because the captain waited for the baker.

Nobody minded. The bread was still warm when it came aboard, and the passengers ate it on deck with their backs to the wind.

On the other side my grandfather stood at the pier with the horse, pretending that he had just arrived.
""",
        "whom did the captain wait for",
        "the captain waited for the baker",
    ),
    Sample(
        "prose",
        "md",
        """# A walk in March

The path was mud, and the mud had opinions about boots.

I met a man who collected gates. He had photographed four hundred of them, he said, and was not yet tired.

Above the farm the larks had started. By noon the sun was out and I forgave the mud.
""",
        "how many gates had the man photographed",
        "He had photographed four hundred of them",
    ),
    Sample(
        "prose",
        "txt",
        """Dear Elsa,

Thank you for the parcel. The scarf fits, and the jam is already gone.

Mother has taken to sitting by the window again. She says the new neighbours keep a parrot that knows two hymns.

Write soon, and tell me about the school.

Yours, Peter
""",
        "what do the neighbours keep",
        "keep a parrot that knows two hymns",
    ),
    Sample(
        "prose",
        "md",
        """# The town votes

The council of Orsta voted on Monday to keep the old cinema. Seven members were in favour, four against.

The cinema has stood empty since 2016. A group of citizens wants to show films there from autumn on.

"It is not about the money," said the mayor, "it is about having a place to go."
""",
        "how many members voted for the cinema",
        "Seven members were in favour",
    ),
)
