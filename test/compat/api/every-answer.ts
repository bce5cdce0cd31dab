import {type SeenAnswer, watchAnswers} from './answers.js';
import type {Conformance} from './conformance.js';

let conformance: Conformance | undefined;
let seen: SeenAnswer[] = [];

watchAnswers(answer => void seen.push(answer));

/** What the document does not say of the answers that were given in this process since the last call. */
export async function takeProblems(): Promise<readonly string[]> {
	if (seen.length === 0) {
		return [];
	}

	const taken = seen;
	seen = [];
	conformance ??= new (await import('./conformance.js')).Conformance();
	const holder = conformance;
	return taken.flatMap(answer => {
		const problem = holder.problemOf(answer);
		return problem === undefined ? [] : [`${answer.method} ${answer.path} ${answer.status}: ${problem}`];
	});
}
