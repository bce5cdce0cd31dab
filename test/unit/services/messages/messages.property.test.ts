import fc from 'fast-check';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {mail, type Person, Tinbox} from '../../../helpers/tinbox.js';

let tinbox: Tinbox;
let ann: Person;
beforeAll(async () => {
	tinbox = await Tinbox.open();
	ann = await tinbox.user('ann');
});
afterAll(async () => tinbox.close());

type Mail = {readonly subject: string; readonly from: string; readonly to: string};

/** Few letters, so that filters match. */
const word = fc.stringMatching(/^[abAB]{1,3}$/);
const someMail: fc.Arbitrary<Mail> = fc.record({
	subject: word,
	from: word.map(name => `${name}@example.com`),
	to: word.map(name => `${name}@box.test`),
});
const someQuery = fc.record(
	{
		q: word,
		from: word,
		to: word,
		page: fc.integer({min: 1, max: 4}),
		limit: fc.integer({min: 1, max: 6}),
		/** Message to start after, and whether it was deleted. */
		after: fc.record({index: fc.nat(11), isDeleted: fc.boolean()}),
	},
	{requiredKeys: []},
);

let boxes = 0;

test('a message list is the requested page of exactly the matching messages, newest first', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.array(someMail, {maxLength: 12}),
			fc.array(someQuery, {maxLength: 6}),
			async (mails, queries) => {
				const {messages, inboxes} = tinbox.services;
				const domain = `box${boxes++}.test`;
				const fields = {name: null, teamId: null, address: `*@${domain}`, ttlSeconds: null};
				const {inbox} = await inboxes.create(ann.user, fields);
				for (const {subject, from, to} of mails) {
					await tinbox.deliver(to.replace('box.test', domain), mail(subject, 'Hello', from));
				}

				const stored = await messages.list(ann.user, inbox.id, {}, {page: 1, limit: 100});
				let model = mails.map((fields, index) => ({...fields, index, id: stored.at(-1 - index)?.id ?? ''}));
				for (const {after, page = 1, limit = 20, ...texts} of queries) {
					const start =
						after && mails.length > 0 ? model.find(({index}) => index === after.index % mails.length) : undefined;
					if (start && after?.isDeleted) {
						await messages.delete(ann.user, inbox.id, start.id);
						model = model.filter(row => row !== start);
					}

					const query = {...texts, ...(start && {after: start.id})};
					const rows = await messages.list(ann.user, inbox.id, query, {page, limit});
					const expected = model
						.filter(row => !start || row.index > start.index)
						.filter(row => has(row.subject, texts.q) && has(row.from, texts.from) && has(row.to, texts.to))
						.reverse()
						.slice((page - 1) * limit, page * limit);
					expect(rows.map(({id}) => id)).toEqual(expected.map(({id}) => id));
				}
			},
		),
		{numRuns: 40},
	);
});

function has(value: string, part = ''): boolean {
	return value.toLowerCase().includes(part.toLowerCase());
}
