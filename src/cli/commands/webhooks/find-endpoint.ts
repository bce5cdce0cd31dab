import type {Client} from '../../../client/index.js';
import {ambiguous} from '../../ambiguous.js';
import {Exit, exitCodes} from '../../exit.js';

/** Describes the argument that `findEndpointId` reads. */
export const endpointArgument = 'its id or URL';

/** The id of the endpoint with this id or URL. Several of one URL are an error that lists them. */
export async function findEndpointId({webhooks}: Pick<Client, 'webhooks'>, text: string): Promise<string> {
	if (!text.includes('://')) {
		return text;
	}

	const ids = (await webhooks.list()).endpoints.filter(({url}) => url === text).map(({id}) => id);
	const [id] = ids;
	if (id === undefined) {
		throw new Exit(exitCodes.notFound, 'not_found', `There is no webhook endpoint with the URL ${text}.`, {
			hint: 'See which there are: tinbox webhooks list',
		});
	}

	if (ids.length > 1) {
		throw ambiguous(`${ids.length} webhook endpoints have the URL ${text}.`, 'id', ids);
	}

	return id;
}
