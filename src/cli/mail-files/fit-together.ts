import {maxTogether} from '../../contract/constants.js';

type Sized = {readonly size: number};

/** Whether one call takes in, or reads, one more mail. */
export function fitTogether(mails: readonly Sized[], next: Sized): boolean {
	const bytes = mails.reduce((sum, {size}) => sum + size, next.size);
	return mails.length < maxTogether.mails && bytes <= maxTogether.bytes;
}
