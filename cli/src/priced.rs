//! Costs by the price list, for sessions whose agent does not say what they cost.

use interlingua::vocabulary::{
    Cost, CostSource, Transcript, TranscriptSession, Usage, UsageBasis, UsageReported, UsageScope,
};
use jiff::Timestamp;

use crate::prices::{self, Prices};

/// Gives a cost to each turn and session that has none, where all its calls have a price.
pub fn fill(transcript: &mut Transcript, prices: &Prices) {
    for session in &mut transcript.sessions {
        let reports: Vec<_> = session
            .usage
            .reports
            .iter()
            .filter(|report| {
                report.report.scope == UsageScope::Call && report.report.basis == UsageBasis::Delta
            })
            .map(|report| {
                let day = report.at.and_then(|at| Timestamp::from_millisecond(at.unix_millis()).ok());
                let day = day.map(|day| day.strftime("%Y-%m-%d").to_string());
                (
                    report.turn_id.clone(),
                    price(prices, &report.report, day.as_deref()),
                    report.report.usage.total(),
                )
            })
            .collect();
        for turn in &mut session.turns {
            let Some(usage) = turn.usage.as_mut().filter(|usage| usage.cost.is_none()) else { continue };
            let of_turn = reports.iter().filter(|(id, ..)| id.as_ref() == Some(&turn.turn_id));
            let (costs, tokens): (Vec<_>, Vec<_>) =
                of_turn.map(|(_, cost, tokens)| (cost.clone(), *tokens)).unzip();
            set(usage, costs, tokens);
        }
        let (costs, tokens) = reports.into_iter().map(|(_, cost, tokens)| (cost, tokens)).unzip();
        fill_total(session, prices, costs, tokens);
    }
}

/// The cost of a session: of its calls, or else of what its models used.
fn fill_total(
    session: &mut TranscriptSession,
    prices: &Prices,
    costs: Vec<Option<Cost>>,
    tokens: Vec<Option<u64>>,
) {
    let Some(total) = session.usage.total.as_mut().filter(|usage| usage.cost.is_none()) else { return };
    set(total, costs, tokens);
    if total.cost.is_some() {
        return;
    }
    let models = &session.usage.models;
    let costs =
        models.iter().map(|part| cost(prices, part.model.as_deref()?, &part.usage, None, None)).collect();
    let tokens = models.iter().map(|part| part.usage.total()).collect();
    set(total, costs, tokens);
}

/// Sets a cost if that of each part is known, and the parts make up the whole.
fn set(usage: &mut Usage, costs: Vec<Option<Cost>>, tokens: Vec<Option<u64>>) {
    let sum: u64 = tokens.into_iter().flatten().sum();
    if costs.is_empty() || Some(sum) < usage.total() {
        return;
    }
    let Some(costs) = costs.into_iter().collect::<Option<Vec<Cost>>>() else { return };
    let currency = costs[0].currency.clone();
    if costs.iter().all(|cost| cost.currency == currency) {
        let amount: f64 = costs.iter().map(|cost| cost.amount).sum();
        // What is beyond a billionth is no money.
        usage.cost = Some(Cost::new((amount * 1e9).round() / 1e9, currency, CostSource::PriceList));
    }
}

fn price(prices: &Prices, report: &UsageReported, day: Option<&str>) -> Option<Cost> {
    cost(prices, report.model.as_deref()?, &report.usage, report.billing.as_ref(), day)
}

fn cost(
    prices: &Prices,
    model: &str,
    usage: &Usage,
    billing: Option<&interlingua::vocabulary::Billing>,
    day: Option<&str>,
) -> Option<Cost> {
    let (amount, currency) = prices::cost(prices.of(model), usage, billing, day)?;
    Some(Cost::new(amount, currency, CostSource::PriceList))
}

#[cfg(test)]
mod tests {
    use interlingua::vocabulary::{Event, Origin, TurnEndReason, TurnEnded, TurnStarted};

    use super::*;

    fn session(model: &str, cost: Option<Cost>) -> Transcript {
        let mut usage = Usage::default().with_input(1_000_000).with_output(0);
        usage.cost = cost;
        let report =
            UsageReported::new("c1", UsageScope::Call, UsageBasis::Delta, usage.clone()).with_model(model);
        let event = |sequence, body: interlingua::vocabulary::EventBody| {
            let mut event = Event::new("s1", sequence, Origin::Agent, body);
            event.turn_id = Some("t1".into());
            event
        };
        let events = [
            event(1, TurnStarted::new("t1").into()),
            event(2, report.into()),
            event(3, TurnEnded::new("t1", TurnEndReason::Completed).with_usage(usage).into()),
        ];
        let mut transcript: Transcript = events.into_iter().collect();
        fill(&mut transcript, &Prices::with(None).expect("the bundled list"));
        transcript
    }

    fn costs(transcript: &Transcript) -> [Option<Cost>; 2] {
        let session = &transcript.sessions[0];
        [session.usage.total.clone(), session.turns[0].usage.clone()]
            .map(|usage| usage.and_then(|usage| usage.cost))
    }

    #[test]
    fn what_has_a_price_gets_a_cost() {
        let three = Some(Cost::new(3.0, "USD", CostSource::PriceList));
        assert_eq!(costs(&session("claude-sonnet-4-5", None)), [three.clone(), three]);
        assert_eq!(costs(&session("a-model-of-tomorrow", None)), [None, None]);
        let told = Some(Cost::new(0.5, "USD", CostSource::Agent));
        assert_eq!(
            costs(&session("claude-sonnet-4-5", told.clone())),
            [told.clone(), told],
            "the agent's own cost stays"
        );
    }
}
