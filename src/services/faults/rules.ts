import type {FaultMatch} from '../../contract/faults.js';
import type {Fault} from '../../domain/fault.js';
import {type MatchTexts, plainTest, regexesIn} from '../../domain/fault-match.js';

/** A fault that is ready to be asked. */
export type Rule = {
	readonly fault: Fault;
	/** When it is over (milliseconds). */
	readonly endsAt: number;
	/** Whether texts in lower case fit all patterns that take little time. */
	readonly fits: (texts: MatchTexts) => boolean;
	/** The patterns when there are regular expressions among them, which are compared elsewhere; null when there are none. */
	readonly regexes: FaultMatch | null;
};

/** Makes faults ready once for as long as they stay the same, which their array tells. */
export function createRules(): (faults: readonly Fault[]) => readonly Rule[] {
	const known = new WeakMap<readonly Fault[], readonly Rule[]>();
	return faults => {
		const rules = known.get(faults) ?? faults.map(ruleOf);
		known.set(faults, rules);
		return rules;
	};
}

function ruleOf(fault: Fault): Rule {
	return {
		fault,
		endsAt: fault.expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(fault.expiresAt),
		fits: plainTest(fault.match),
		regexes: regexesIn(fault.match).length > 0 ? fault.match : null,
	};
}
