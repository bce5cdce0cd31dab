import type {Conformance} from './conformance.js';
import {type ApiResponse, watchResponses} from './responses.js';

let conformance: Conformance | undefined;
let responses: ApiResponse[] = [];

watchResponses(response => void responses.push(response));

/** Differences from the OpenAPI document in the responses of this process since the last call. */
export async function takeViolations(): Promise<readonly string[]> {
	if (responses.length === 0) {
		return [];
	}

	const checked = responses;
	responses = [];
	conformance ??= new (await import('./conformance.js')).Conformance();
	const validator = conformance;
	return checked.flatMap(response => {
		const problem = validator.problemOf(response);
		return problem === undefined ? [] : [`${response.method} ${response.path} ${response.status}: ${problem}`];
	});
}
