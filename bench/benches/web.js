import {chromiumPath} from '../../test/helpers/launch-chromium.js';
import {coldOpen} from './web/cold-open.js';
import {scrolling} from './web/scrolling.js';
import {storm} from './web/storm.js';

/**
 * The web app: time until it shows its list compared with Mailpit, and its responsiveness during much mail and with a very long
 * list.
 * @type {import('../run.js').Bench}
 */
export async function web({progress}) {
	if (chromiumPath === undefined) {
		throw new Error('There is no Chromium on the PATH.');
	}

	return [...(await coldOpen(progress)), ...(await storm(progress)), ...(await scrolling(progress))];
}
