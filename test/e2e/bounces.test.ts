import {execFileSync} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {createTransport, type SendMailOptions} from 'nodemailer';
import {expect, onTestFinished, test, vi} from 'vitest';
import {version} from '../../src/lib/version.js';
import {startPostfix, whyNoPostfix} from '../helpers/postfix.js';
import {openTinbox, type Person, type Tinbox} from '../helpers/tinbox.js';

const sender = 'app@shop.test';
const recipient = 'you@box.test';
const plain = {name: null, teamId: null, ttlSeconds: null};
const skipReason = whyNoPostfix();

const mail: SendMailOptions = {
	from: `App <${sender}>`,
	to: recipient,
	subject: 'Grüße',
	text: 'Hello, this is the mail.\n',
	messageId: '<m1@shop.test>',
	envelope: {from: sender, to: recipient},
};

const dsn = {
	id: 'order+4711 a',
	return: 'full',
	notify: 'failure,delay',
	recipient: 'rfc822;list=a+b@shop.test',
} as const;

async function openWithSender() {
	const tinbox = await openTinbox();
	const ann = await tinbox.user('ann', 'localhost');
	await tinbox.services.inboxes.create(ann.user, {...plain, address: sender});
	return {tinbox, ann};
}

async function send({host, port}: {readonly host: string; readonly port: number}, options: SendMailOptions) {
	const transport = createTransport({host, port, ignoreTLS: true});
	await transport.sendMail(options);
	transport.close();
}

/** Waits until the sender has `count` messages and returns the source of the latest one. */
async function latestSource({services}: Tinbox, {user}: Person, count: number): Promise<Buffer> {
	return vi.waitFor(
		async () => {
			const messages = await services.messages.list(user, sender, {}, {page: 1, limit: 100});
			expect(messages).toHaveLength(count);
			expect(messages[0]?.envelope).toMatchObject({from: '', to: [sender]});
			return services.messages.raw(user, sender, 'latest', {start: 0, end: 1_000_000});
		},
		{timeout: 20_000, interval: 50},
	);
}

async function bounceSource({tinbox, ann}: Awaited<ReturnType<typeof openWithSender>>, count: number): Promise<Buffer> {
	await vi.waitFor(async () => tinbox.services.messages.get(ann.user, '*@box.test', 'latest'));
	const {services} = tinbox;
	await services.bounces.create(ann.user, '*@box.test', 'latest', {kind: 'bounce', status: '5.1.1'});
	return latestSource(tinbox, ann, count);
}

/** The fields of a bounce that must equal the fields of a Postfix bounce. Host names are normalized. */
function readFields({fields, type, report, parts, defects}: ParsedReport) {
	const [, status, original] = parts;
	const [perMessage, perRecipient] = status?.blocks ?? [];
	return {
		type,
		report,
		defects,
		parts: parts.map(({type, description}) => [type, description]),
		to: fieldOf(fields, 'To'),
		from: fieldOf(fields, 'From')?.replace(/@.*>/, '@host>'),
		subject: fieldOf(fields, 'Subject'),
		autoSubmitted: fieldOf(fields, 'Auto-Submitted'),
		envelopeId: fieldOf(perMessage, 'Original-Envelope-Id'),
		reportingMta: fieldOf(perMessage, 'Reporting-MTA')?.replace(/; .*/, '; host'),
		finalRecipient: fieldOf(perRecipient, 'Final-Recipient'),
		originalRecipient: fieldOf(perRecipient, 'Original-Recipient')?.replace(/;\s*/, '; '),
		action: fieldOf(perRecipient, 'Action'),
		status: fieldOf(perRecipient, 'Status'),
		diagnostic: fieldOf(perRecipient, 'Diagnostic-Code')?.slice(0, 'smtp; 550 5.1.1'.length),
		originalSubject: fieldOf(original?.fields, 'Subject'),
		originalMessageId: fieldOf(original?.fields, 'Message-ID'),
		originalText: original?.text,
	};
}

/** Field names of each block of the delivery status. */
function fieldNamesOf({parts}: ParsedReport): readonly (readonly string[])[] {
	const blocks = parts[1]?.blocks ?? [];
	return blocks.map(block => block.map(([name]) => name).filter(name => !name.startsWith('X-Postfix-')));
}

test.skipIf(skipReason !== undefined || !hasPython()).each(['full', 'headers'] as const)(
	`a bounce has the fields and values of a Postfix bounce with RET=%s${skipReason === undefined ? '' : ` (${skipReason})`}`,
	{timeout: 60_000},
	async ret => {
		const world = await openWithSender();
		const {tinbox, ann} = world;
		const postfix = await startPostfix(tinbox.smtp);
		onTestFinished(async () => postfix.stop());
		await send(postfix, {...mail, dsn: {...dsn, return: ret}});
		const expected = await latestSource(tinbox, ann, 1);
		await tinbox.services.inboxes.create(ann.user, {...plain, address: '*@box.test'});
		await send(tinbox.smtp, {...mail, dsn: {...dsn, return: ret}});
		const actual = await bounceSource(world, 2);
		const [postfixReport, report] = parseReports(expected, actual);
		if (!postfixReport || !report) {
			throw new Error('Python read nothing.');
		}

		expect(readFields(report)).toEqual(readFields(postfixReport));
		expect(readFields(report)).toMatchObject({
			defects: [],
			envelopeId: 'order+4711 a',
			originalRecipient: 'rfc822; list=a+b@shop.test',
			action: 'failed',
			status: '5.1.1',
		});
		const [perMessage, perRecipient] = fieldNamesOf(report);
		const [postfixPerMessage, postfixPerRecipient] = fieldNamesOf(postfixReport);
		expect(perMessage?.filter(name => !postfixPerMessage?.includes(name))).toEqual(['Received-From-MTA']);
		expect(postfixPerMessage?.filter(name => !perMessage?.includes(name))).toEqual([]);
		expect(perRecipient?.filter(name => !postfixPerRecipient?.includes(name))).toEqual(['Last-Attempt-Date']);
		expect(postfixPerRecipient?.filter(name => !perRecipient?.includes(name))).toEqual(['Remote-MTA']);
	},
);

test.skipIf(!hasPython())('Python and tinbox parse the bounces and complaints of tinbox without defects', async () => {
	const {tinbox, ann} = await openWithSender();
	await tinbox.services.inboxes.create(ann.user, {...plain, address: '*@box.test'});
	await send(tinbox.smtp, {...mail, dsn});
	const {services} = tinbox;
	await services.bounces.create(ann.user, '*@box.test', 'latest', {kind: 'bounce'});
	const bounce = await latestSource(tinbox, ann, 1);
	const shownBounce = await services.messages.read(ann.user, sender, 'latest');
	await services.bounces.create(ann.user, '*@box.test', 'latest', {kind: 'complaint'});
	const complaint = await latestSource(tinbox, ann, 2);
	const shownComplaint = await services.messages.read(ann.user, sender, 'latest');
	const [readBounce, readComplaint] = parseReports(bounce, complaint);
	expect(readBounce).toMatchObject({type: 'multipart/report', report: 'delivery-status', defects: []});
	expect(readComplaint).toMatchObject({type: 'multipart/report', report: 'feedback-report', defects: []});
	const [feedback] = readComplaint?.parts[1]?.blocks ?? [];
	expect(feedback).toEqual([
		['Feedback-Type', 'abuse'],
		['User-Agent', `tinbox/${version}`],
		['Version', '1'],
		['Original-Envelope-Id', dsn.id],
		['Original-Mail-From', `<${sender}>`],
		['Original-Rcpt-To', `<${recipient}>`],
		['Arrival-Date', expect.stringMatching(/ \+0000$/)],
		['Reporting-MTA', 'dns; tinbox.test'],
		['Source-IP', '127.0.0.1'],
		['Reported-Domain', 'shop.test'],
	]);
	const typesOf = ({content}: typeof shownBounce) => content.attachments.map(({contentType}) => contentType);
	expect(shownBounce.content.text).toMatch(/<you@box\.test>: 550 5\.1\.1 User unknown[\s\S]*^Status: 5\.1\.1$/m);
	expect(typesOf(shownBounce)).toEqual(['message/rfc822']);
	expect(shownComplaint.content.text).toBe(`A recipient reported this message as spam:\n\n${recipient}\n`);
	expect(typesOf(shownComplaint)).toEqual(['message/feedback-report', 'message/rfc822']);
	expect([...shownBounce.content.warnings, ...shownComplaint.content.warnings]).toEqual([]);
});

type Fields = ReadonlyArray<readonly [name: string, value: string]>;

/** A report (RFC 6522) parsed by Python's `email`. */
type ParsedReport = {
	readonly fields: Fields;
	readonly type: string;
	readonly report: string | null;
	readonly parts: ReadonlyArray<{
		readonly type: string;
		readonly description: string | null;
		readonly encoding: string | null;
		readonly text?: string;
		readonly fields?: Fields;
		/** Field groups of a machine-readable part. */
		readonly blocks?: readonly Fields[];
	}>;
	readonly defects: readonly string[];
};

function hasPython(): boolean {
	try {
		execFileSync('python3', ['-c', 'import email'], {stdio: 'ignore'});
		return true;
	} catch {
		return false;
	}
}

/** Parses each source with Python. */
function parseReports(...sources: readonly Buffer[]): readonly ParsedReport[] {
	const script = fileURLToPath(new URL('read_reports.py', import.meta.url));
	const input = sources.map(source => `${source.toString('base64')}\n`).join('');
	return execFileSync('python3', [script], {input, encoding: 'utf8'})
		.trim()
		.split('\n')
		.map(line => JSON.parse(line));
}

/** The value of a field with collapsed white space. */
function fieldOf(fields: Fields | undefined, name: string): string | undefined {
	const [, value] = fields?.find(([other]) => other.toLowerCase() === name.toLowerCase()) ?? [];
	return value?.replace(/\s+/g, ' ').trim();
}
