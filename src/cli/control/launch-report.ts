import type {LaunchReport} from '../context.js';
import {describeFailure} from '../failure.js';

/** Why a daemon did not start, for whoever launched it. */
export function launchReport(error: unknown): LaunchReport {
	const {code, message, hint} = describeFailure(error);
	return {error: {code, message, hint}};
}
