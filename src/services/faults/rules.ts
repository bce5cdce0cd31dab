import type {FaultStage} from '../../contract/constants.js';
import type {FaultMatch} from '../../contract/faults.js';
import type {Fault} from '../../domain/fault.js';
import {type MatchTexts, plainTest, plainTestOfAny, regexesIn} from '../../domain/fault-match.js';

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

const none: readonly Rule[] = [];

/** What there is to ask at one stage. */
class StageRules {
	readonly #rules: readonly Rule[];
	/** They are asked at each command, and mostly none fits. */
	readonly #mayFit: (texts: MatchTexts) => boolean;

	constructor(faults: readonly Fault[]) {
		this.#rules = faults.map(ruleOf);
		this.#mayFit = plainTestOfAny(faults.map(({match}) => match));
	}

	/** Those that are not over (`now` in milliseconds) and whose plain patterns texts in lower case fit, oldest first. */
	fitting(texts: MatchTexts, now: number): readonly Rule[] {
		return this.#mayFit(texts) ? this.#rules.filter(({endsAt, fits}) => endsAt > now && fits(texts)) : none;
	}
}

/** Makes faults ready once for as long as they stay the same, which their array tells. Undefined where none is for the stage. */
export function createRules(): (faults: readonly Fault[], stage: FaultStage) => StageRules | undefined {
	const known = new WeakMap<readonly Fault[], Map<FaultStage, StageRules>>();
	return (faults, stage) => {
		let ready = known.get(faults);
		if (!ready) {
			ready = new Map([...stagesOf(faults)].map(([at, those]) => [at, new StageRules(those)]));
			known.set(faults, ready);
		}

		return ready.get(stage);
	};
}

function stagesOf(faults: readonly Fault[]): ReadonlyMap<FaultStage, readonly Fault[]> {
	const byStage = new Map<FaultStage, Fault[]>();
	for (const fault of faults) {
		byStage.set(fault.stage, [...(byStage.get(fault.stage) ?? []), fault]);
	}

	return byStage;
}

function ruleOf(fault: Fault): Rule {
	return {
		fault,
		endsAt: fault.expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(fault.expiresAt),
		fits: plainTest(fault.match),
		regexes: regexesIn(fault.match).length > 0 ? fault.match : null,
	};
}
