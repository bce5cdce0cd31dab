import {isAscii} from 'node:buffer';

/** A part of a mail. Text that is no ASCII is encoded where its type allows that. */
export type NewPart = {
	readonly type: string;
	/** What the part is, for people. */
	readonly description?: string;
	readonly content: string | Buffer;
};

export type NewMail = {
	readonly from: {readonly name: string; readonly address: string};
	readonly to: string;
	readonly date: Date;
	/** With its angle brackets. */
	readonly messageId: string;
	/** By name. Line breaks in values are taken away. */
	readonly headers: Readonly<Record<string, string>>;
	/** Of the whole, when it has several parts. */
	readonly type?: string;
	readonly parts: readonly [NewPart, ...NewPart[]];
};

/** The source of a mail. */
export async function compose({from, to, date, messageId, headers, type, parts}: NewMail): Promise<Buffer> {
	// Most daemons never make a mail.
	const {default: MimeNode} = await import('nodemailer/lib/mime-node');
	const [first] = parts;
	const root = new MimeNode(type ?? first.type);
	root.setHeader({
		From: [from],
		To: [{name: '', address: to}],
		Date: date,
		'Message-ID': messageId,
		'MIME-Version': '1.0',
		...headers,
	});
	if (type === undefined) {
		root.setContent(first.content);
		return root.build();
	}

	for (const {type, description, content} of parts) {
		const part = root.createChild(type);
		part.setHeader({...(description && {'Content-Description': description}), ...encodingOf(type, content)});
		part.setContent(content);
	}

	if (parts.some(({type, content}) => isWhole(type) && !isPlain(content))) {
		root.setHeader('Content-Transfer-Encoding', '8bit');
	}

	return root.build();
}

/** What cannot be encoded says what it is (RFC 2045, section 6.4); the others are given an encoding. */
function encodingOf(type: string, content: string | Buffer): Readonly<Record<string, string>> {
	return isWhole(type) ? {'Content-Transfer-Encoding': isPlain(content) ? '7bit' : '8bit'} : {};
}

function isWhole(type: string): boolean {
	return type.startsWith('message/');
}

function isPlain(content: string | Buffer): boolean {
	return isAscii(Buffer.from(content));
}
