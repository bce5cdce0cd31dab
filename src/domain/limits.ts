import {AppError} from './errors.js';

/** The most that there may be of something; `more` says what to raise for it, as in "a larger --max-connections". */
export type Bound = {readonly max: number; readonly more: string};

/** The refusal of what would be beyond a limit. `allowed` says how much there may be, `makeRoom` what frees some. */
export function beyondLimit(allowed: string, makeRoom: string, {more}: Pick<Bound, 'more'>): AppError {
	return new AppError('limit_reached', `${allowed} ${makeRoom}, or start the daemon with ${more}.`);
}
