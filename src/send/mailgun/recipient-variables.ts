import type {NamedAddress} from '../provider.js';
import {readVariables} from './variables.js';

/** Puts the variables of one recipient in. */
export type FillIn = (text: string) => string;

/** What stands for the recipient itself. */
const ownVariables = {
	recipient: ({address}: NamedAddress) => address,
	recipient_email: ({address}: NamedAddress) => address,
	recipient_name: ({name}: NamedAddress) => name,
} as const;

/**
 * How a text reads for each recipient (`%recipient.name%`); undefined where there are no recipient variables: then one mail
 * goes to all of them. What has no value stays as it is. Throws where they are no JSON.
 */
export function readRecipientVariables(json: string | undefined): ((recipient: NamedAddress) => FillIn) | undefined {
	if (json === undefined) {
		return undefined;
	}

	const all = new Map(
		Object.entries(readVariables('recipient-variables', json)).map(([address, variables]) => [
			address.toLowerCase(),
			new Map(Object.entries(variables ?? {})),
		]),
	);
	return recipient => {
		const variables = all.get(recipient.address.toLowerCase());
		return text =>
			text.replace(/%(recipient(?:_\w{1,10})?)(?:\.([^%\r\n]{1,200}))?%/g, (tag, own: string, name?: string) => {
				if (name === undefined) {
					return ownVariables[own as keyof typeof ownVariables]?.(recipient) ?? tag;
				}

				const value = own === 'recipient' ? variables?.get(name) : undefined;
				return value === undefined ? tag : asText(value);
			});
	};
}

function asText(value: unknown): string {
	return typeof value === 'string' ? value : JSON.stringify(value);
}
