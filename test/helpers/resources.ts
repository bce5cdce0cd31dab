import type {Resources} from '../../src/daemon/resources.js';
import {createTargetPolicy} from '../../src/domain/webhooks/target.js';
import type {Log} from '../../src/lib/log.js';
import type {Parser} from '../../src/mime/parser.js';
import type {Observer} from '../../src/services/observer.js';
import type {Store} from '../../src/store/port.js';

export const silent: Log = {info: () => {}, warn: () => {}, error: () => {}};

export const noopObserver: Observer = {
	mail() {},
	commit() {},
	wakeUp() {},
	attempt() {},
	refusal() {},
	faultHit() {},
};

/** A parser that returns the same content with one attachment for every mail. */
export const fixedParser: Parser = {
	start: () => {},
	summarize: async () => ({
		from: 'from@example.com',
		to: [],
		cc: [],
		replyTo: [],
		subject: 'Hi',
		messageId: '1@example.com',
	}),
	read: async () => ({
		headers: [],
		text: 'Hi',
		html: '',
		attachments: [
			{id: '1', filename: 'a.txt', contentType: 'text/plain', size: 2, contentId: null, disposition: 'attachment'},
		],
		codes: [],
		links: [],
		warnings: [],
	}),
	document: async () => new Uint8Array(),
	attachment: async (_owner, _source, id) => (id === '1' ? Buffer.from('Hi') : undefined),
	linksLike: async () => [],
	explain: async () => [],
	explainMessages: async (_owner, messages) => messages.map(() => []),
	fit: async (_owner, messages) => messages.map(() => true),
	fitMatches: async (_owner, matches) => matches.map(() => true),
	patternProblem: async () => undefined,
	composeContent: async () => ({problem: 'There are no templates.'}),
	composeFromTemplate: async () => ({problem: 'There are no templates.'}),
	templateProblem: async () => undefined,
	stop: async () => {},
};

export const operatorToken = 'o'.repeat(43);

/** Resources without network and threads. Webhooks always succeed. */
export function testResources(store: Store, own: Partial<Resources> = {}): Resources {
	return {
		node: {id: 'node', name: 'host', version: '0.0.0'},
		store,
		parser: fixedParser,
		sender: {send: async () => ({ok: true, status: 200, body: ''}), close: async () => {}},
		allows: createTargetPolicy({localAllowed: true}),
		sendMail: async () => {},
		findHost: async () => 'unknown',
		operatorToken,
		tokenSecret: 's'.repeat(43),
		certificates: undefined,
		smtpSecret: 'p'.repeat(43),
		openFiles: Number.POSITIVE_INFINITY,
		now: () => new Date(),
		log: silent,
		...own,
	};
}
