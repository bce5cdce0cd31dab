import type {AddressObject, EmailAddress, Headers} from 'mailparser';
import type {Summary} from '../domain/message.js';
import {inUtf8, splitHeader} from './header-section.js';
import {createMailParser} from './mailparser.js';

const wanted = new Set(['from', 'cc', 'reply-to', 'subject', 'message-id']);

/** Makes summaries of header sections with mailparser's rules for fields; undefined where these fail. */
export function createSummarizer(): (head: Buffer) => Summary | undefined {
	const rules = createMailParser();
	return head => {
		const fields = splitHeader(head).filter(({key}) => wanted.has(key));
		try {
			return summaryOf(rules.processHeaders(fields.map(({key, line}) => ({key, line: inUtf8(line)}))));
		} catch {
			return undefined;
		}
	};
}

function summaryOf(headers: Headers): Summary {
	return {
		from: addressesIn(headers, 'from')[0] ?? '',
		cc: addressesIn(headers, 'cc'),
		replyTo: addressesIn(headers, 'reply-to'),
		subject: textIn(headers, 'subject'),
		messageId: textIn(headers, 'message-id').replace(/^<|>$/g, ''),
	};
}

function textIn(headers: Headers, key: string): string {
	const value = headers.get(key);
	return typeof value === 'string' ? value : '';
}

/** The addresses of a field, which may stand in the mail more than once; those of groups are as good as others. */
function addressesIn(headers: Headers, key: string): string[] {
	const fields = [headers.get(key) ?? []].flat() as AddressObject[];
	return fields.flatMap(({value}) => value.flatMap(flatten));
}

function flatten({address, group}: EmailAddress): string[] {
	return [...(address ? [address] : []), ...(group ?? []).flatMap(flatten)];
}
