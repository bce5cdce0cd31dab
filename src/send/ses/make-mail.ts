import type {ComposedContent, SentAttachment, SentMail} from '../provider.js';
import {type Destination, readAddress, recipientsOf} from './addresses.js';
import {readOwnHeaders} from './headers.js';
import {messageIdOf, newSesId} from './message-ids.js';
import {SesProblem, tooLong} from './problems.js';
import type {Reading} from './reading.js';
import type {SesHeader, SesTag} from './schemas.js';
import {readSesSender} from './sender.js';
import {type AskedSending, metadataOf} from './sending.js';
import {readMessageTags} from './tags.js';

/** What a mail says. */
export type SesTexts = Pick<ComposedContent, 'subject' | 'text' | 'html'>;

/** Whom a mail is from and for, and what goes along with its texts. */
export type MailParts = AskedSending & {
	readonly destination: Destination;
	readonly tags: readonly SesTag[];
	readonly headers: readonly SesHeader[];
	readonly attachments: readonly SentAttachment[];
};

/** A mail that SES makes of texts. */
export function makeMail(
	texts: SesTexts,
	{destination, tags, headers, attachments, ...sending}: MailParts,
	{now, region, maxBytes}: Reading,
): Omit<SentMail, 'template' | 'warnings'> {
	const {FromEmailAddress, FeedbackForwardingEmailAddress, ReplyToAddresses} = sending;
	if (FromEmailAddress === undefined) {
		throw new SesProblem('invalid', "Missing required header 'From'.");
	}

	const encoded = attachments.reduce((sum, {content}) => sum + Math.ceil(content.length / 3) * 4, 0);
	if (encoded + textBytes(texts) > maxBytes) {
		throw tooLong(maxBytes);
	}

	const from = readSesSender(FromEmailAddress, region);
	const feedback = FeedbackForwardingEmailAddress === undefined ? from : readAddress(FeedbackForwardingEmailAddress);
	const id = newSesId(now);
	return {
		envelope: {from: feedback.address, to: recipientsOf(destination)},
		content: {
			from,
			to: destination.to,
			cc: destination.cc,
			replyTo: ReplyToAddresses.map(readAddress),
			...texts,
			amp: undefined,
			attachments,
			headers: readOwnHeaders(headers),
			messageId: messageIdOf(id, region),
			date: now,
		},
		tags: readMessageTags(tags),
		metadata: metadataOf(sending),
		id,
	};
}

export function textBytes({subject, text = '', html = ''}: SesTexts): number {
	return Buffer.byteLength(subject) + Buffer.byteLength(text) + Buffer.byteLength(html);
}
