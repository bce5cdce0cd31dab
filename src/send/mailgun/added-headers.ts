import {isHeader, isTakenHeader} from '../mail-headers.js';
import {readNamedAddress, splitAddresses} from '../named-address.js';
import type {ComposedContent, NamedAddress} from '../provider.js';
import type {FormFields} from './form-fields.js';
import type {FillIn} from './recipient-variables.js';

/** What the headers of a request say of a mail. */
type Added = Pick<ComposedContent, 'headers' | 'replyTo' | 'date'> & {
	readonly messageId: string | undefined;
	readonly warnings: readonly string[];
};

/** Of Mailgun itself: variables, which are no header of the mail. */
const variablesHeader = 'x-mailgun-variables';

/** The headers that a request adds by `h:`, and what they say in the place of fields of their own. */
export function readAddedHeaders(form: FormFields, fillIn: FillIn): Added {
	const all = form.withPrefix('h:').map(([name, text]) => ({name, key: name.toLowerCase(), value: fillIn(text)}));
	const valueOfHeader = (key: string) => all.find(header => header.key === key)?.value.trim();
	const replyTo = splitAddresses(valueOfHeader('reply-to') ?? '').map(readNamedAddress);
	const [messageId] = /^<[^<>\s]+>$/.exec(valueOfHeader('message-id') ?? '') ?? [];
	const date = new Date(valueOfHeader('date') ?? Number.NaN);
	const isDate = !Number.isNaN(date.getTime());
	const isUsed = (key: string) =>
		(key === 'reply-to' && replyTo.every(isThere)) || (key === 'message-id' && messageId) || (key === 'date' && isDate);
	const others = all.filter(({key}) => key !== variablesHeader && !isUsed(key));
	const isAdded = ({name, value}: {name: string; value: string}) => !isTakenHeader(name) && isHeader(name, value);
	return {
		headers: others.filter(isAdded).map(({name, value}) => [name, value] as const),
		replyTo: replyTo.filter(isThere),
		messageId,
		date: isDate ? date : undefined,
		warnings: others
			.filter(header => !isAdded(header))
			.map(({name}) => `"h:${name.slice(0, 100)}" was ignored: it is not a valid header, or tinbox sets it.`),
	};
}

function isThere(mailbox: NamedAddress | undefined): mailbox is NamedAddress {
	return mailbox !== undefined;
}
