"""Conversations written for this benchmark. `=` starts a new topic; each message is `speaker: text`."""

from __future__ import annotations

WRITTEN = {
    "standup": """
Mia: Morning. The migration of the billing tables is through on staging.
Jon: Did the invoices from March come out right this time?
Mia: All but two, and those two had no customer number to begin with.
Jon: Then we can plan billing in production for Thursday night.
Mia: Thursday works, I will write the rollback notes for the tables.
=
Sara: Can I jump in about the office move?
Jon: Sure, did the landlord answer?
Sara: Yes, we get the keys on the first, and the desks arrive a week later.
Mia: So everyone works from home for that week?
Sara: That is the plan, unless you like sitting on the floor.
=
Jon: Last thing, the intern starts on Monday.
Mia: Who takes her through the accounts and the laptop setup?
Jon: I do the laptop, and Sara shows her around.
Sara: I also booked lunch with the whole team for her first day.
""",
    "family": """
Mum: Have you decided what to do for Grandpa's birthday?
Leo: I thought about a cake with the old boat on it.
Mum: He would love the boat. Can you ask the bakery by Friday?
Leo: I will call them tomorrow, and Nora brings candles.
Nora: Eighty candles is a fire hazard, I get the number ones.
=
Nora: Also, the washing machine is leaking again.
Mum: Where from, the door or underneath?
Nora: Underneath, there is a puddle every time it spins.
Leo: Sounds like the pump filter. Open the flap at the bottom and clean it.
Nora: Found two coins and a sock. It spins dry now.
=
Mum: When do your trains arrive on Saturday?
Leo: Mine is at 14:05, if the connection in Hanover works.
Nora: I take the bus, so about four o'clock at the station.
Mum: Then Dad picks both of you up at four with the car.
""",
    "support": """
Customer: Hello, my router shows a red light since this morning.
Agent: I am sorry to hear that. Which of the lights is red?
Customer: The one that says internet. The wireless one is green.
Agent: Please unplug the router for thirty seconds and plug it in again.
Customer: Done, the internet light is green now, thank you.
=
Customer: While I have you, my last bill was twelve euros higher.
Agent: Let me look. You called a number abroad on the ninth.
Customer: I did call my sister in Norway, for about an hour.
Agent: Calls to Norway are not in your plan, that explains the bill.
Customer: Is there a plan that has calls abroad in it?
Agent: Yes, for four euros more each month. I can change your plan today.
=
Customer: One more question, I am moving in May.
Agent: Congratulations. To which address will you move?
Customer: Mill Lane 4, in the same town. Can I keep my connection?
Agent: There is fibre in Mill Lane, so a technician has to come once.
Customer: The keys are mine from the third of May.
Agent: Then I book the technician for the fourth in the morning.
""",
    "garden": """
Ruth: The tomatoes have brown spots on the lower leaves.
Ines: That is blight if it rained a lot. Take those leaves off.
Ruth: It rained all week. Do I put the leaves on the compost?
Ines: No, blight survives there. Put them in the bin and water only the soil.
Ruth: Then I will also tie the plants higher.
=
Paul: Has anybody borrowed the long ladder of the club?
Ines: I saw it behind the shed on Sunday.
Paul: It is not there. I need the ladder for the cherries.
Ruth: Klaus has it, he is painting his gutter.
Paul: Then I call Klaus, the cherries will not wait.
=
Ines: The summer party needs people for the grill.
Ruth: I can do the first hour, from five.
Paul: I bring the charcoal and take over the grill at six.
Ines: Perfect. Salads are on the list at the gate.
Ruth: And if it rains, the party moves to the hall?
Ines: Yes, I have the key of the hall.
""",
    "research": """
Chen: The second run of the sensor test finished last night.
Amara: Did the drift in the temperature channel go away?
Chen: Mostly. With the new shielding the drift is under two percent.
Amara: That is within what we promised in the paper.
Chen: I would still repeat the channel at low temperature before we write it down.
=
Tomas: The reviewers sent their comments for the grant.
Amara: How bad are the comments?
Tomas: Two positive, one asks for a smaller budget for travel.
Amara: We can cut the second conference, then travel is down by half.
Tomas: I will write the answer to the reviewers and send it round on Tuesday.
=
Chen: Who is responsible for the new microscope?
Amara: For now it is booked through me, by mail.
Chen: Could we have a calendar for the microscope like the one for the oven?
Tomas: I can copy the calendar of the oven and add a rule for training.
Amara: Good, nobody uses it without the training, please.
=
Tomas: And the seminar on Friday has no speaker.
Chen: I could show the shielding, half an hour is enough.
Amara: Please do, and leave time for questions.
""",
    "band": """
Kim: The sound at the club was awful, I could not hear my own guitar.
Dee: The monitor on your side was dead, I told the engineer twice.
Kim: Next time we bring our own monitors.
Dee: Agreed, the van has room for two monitors.
=
Ola: Has someone looked at the contract of the label?
Dee: I read it. They want the rights to the recordings for ten years.
Ola: Ten years is a lot. What do they pay?
Dee: An advance of three thousand, and the label covers the studio.
Ola: My cousin is a lawyer, I will send her the contract before we sign.
=
Kim: The new song needs a bridge, the chorus comes too often.
Ola: I have four bars in minor that might work as a bridge.
Kim: Play them on Thursday and we try it after the second chorus.
Dee: Slower drums there, or the same beat?
Ola: Slower, the bridge should breathe before the chorus.
=
Dee: My sister can lend us the van for the tour in June.
Kim: All ten days?
Dee: All ten, if we pay for fuel and bring the van back clean.
Ola: Then the tour is cheaper than I feared.
""",
}
