import {domainToASCII} from 'node:url';
import fc from 'fast-check';
import {afterAll, beforeAll, expect, test} from 'vitest';
import type {InboxBody} from '../../../../src/contract/inboxes.js';
import {SmtpSession} from '../../../helpers/smtp-session.js';
import {mail, type Person, Tinbox} from '../../../helpers/tinbox.js';

let tinbox: Tinbox;
let people: readonly Person[];
let smtp: SmtpSession;
beforeAll(async () => {
	tinbox = await Tinbox.open();
	people = [await tinbox.user('ann'), await tinbox.user('bob')];
	smtp = await SmtpSession.open(tinbox.smtp);
});
afterAll(async () => {
	await smtp.quit();
	await tinbox.close();
});

/** Meaning of an address; without a local part, a whole domain. */
type Meaning = {readonly local: string | null; readonly tag: string | null; readonly domain: string};

/** Numbers that select one spelling. */
type Spelling = readonly number[];

const someMeaning: fc.Arbitrary<Meaning> = fc.record({
	local: fc.constantFrom('signup', 'grün', 'φως'),
	tag: fc.constantFrom(null, null, 'reset', 'x+y'),
	// The last domain is not valid punycode, but naive decoders turn it into the first.
	domain: fc.constantFrom('shop', 'bücher', 'xn--shop-'),
});
const someDomain = someMeaning.map(meaning => ({...meaning, local: null, tag: null}));
const someSpelling: fc.Arbitrary<Spelling> = fc.array(fc.nat(99), {minLength: 30, maxLength: 30});
const someClaim = fc.record({
	who: fc.nat(1),
	meaning: fc.oneof({arbitrary: someMeaning, weight: 8}, {arbitrary: someDomain, weight: 1}),
	spelling: someSpelling,
});
const someMail = fc.record({meaning: someMeaning, spelling: someSpelling});

/** Granted claim, with the subjects of its mail. */
type Granted = {readonly who: number; readonly meaning: Meaning; readonly id: string; readonly subjects: string[]};

let runs = 0;

test('mail reaches the first user who claimed its address, however it is spelled', async () => {
	const property = fc.asyncProperty(
		fc.array(someClaim, {minLength: 1, maxLength: 8}),
		fc.array(someMail, {minLength: 1, maxLength: 8}),
		async (claims, mails) => {
			const world = `n${runs++}.test`;
			const granted: Granted[] = [];
			for (const {who, meaning, spelling} of claims) {
				const email_address = spell(meaning, world, spelling);
				const response = await tinbox.request('POST', '/inboxes', {
					key: people[who]?.key ?? '',
					body: {email_address},
				});
				expect([email_address, response.status]).toEqual([email_address, isFree(granted, who, meaning) ? 201 : 409]);
				const {id} = (await response.json()) as InboxBody;
				if (response.ok) {
					granted.push({who, meaning, id, subjects: []});
				}
			}

			for (const [index, {meaning, spelling}] of mails.entries()) {
				const recipient = recipientOf(granted, meaning);
				await smtp.command('RSET', '250');
				await smtp.command('MAIL FROM:<>', '250');
				const route = (spelling[1] ?? 0) % 4 === 0 ? '@relay.test,@b.test:' : '';
				await smtp.command(`RCPT TO:<${route}${spell(meaning, world, spelling)}>`, recipient ? '250' : '550');
				if (recipient) {
					recipient.subjects.unshift(`Mail ${index}`);
					await smtp.command('DATA', '354');
					await smtp.command(`${mail(`Mail ${index}`)}.`, '250');
				}
			}

			for (const {who, id, subjects} of granted) {
				const {user} = people[who] as Person;
				const rows = await tinbox.services.messages.list(user, id, {}, {page: 1, limit: 100});
				expect(rows.map(({summary}) => summary.subject)).toEqual(subjects);
			}
		},
	);
	await fc.assert(property, {numRuns: 30});
});

/** The first claim of an address or plus address reserves both for its user. */
function isFree(granted: readonly Granted[], who: number, {local, tag, domain}: Meaning): boolean {
	return !granted.some(({who: other, meaning}) => {
		const isSame = meaning.local === local && meaning.domain === domain;
		const isReserved = meaning.tag === tag || (other !== who && (meaning.tag === null || tag === null));
		return isSame && isReserved;
	});
}

function recipientOf(granted: readonly Granted[], {local, tag, domain}: Meaning): Granted | undefined {
	const inDomain = granted.filter(({meaning}) => meaning.domain === domain);
	return (
		inDomain.find(({meaning}) => meaning.local === local && meaning.tag === tag) ??
		inDomain.find(({meaning}) => meaning.local === local && meaning.tag === null) ??
		inDomain.find(({meaning}) => meaning.local === null)
	);
}

function spell({local, tag, domain}: Meaning, world: string, spelling: Spelling): string {
	const [form = 0, , ...rest] = spelling;
	const name = `${domain}.${world}`;
	const text = local === null ? '*' : spellLocalPart(tag === null ? local : `${local}+${tag}`, rest);
	return `${text}@${spellDomain(name, form, rest)}`;
}

function spellLocalPart(text: string, [form = 0, ...rest]: Spelling): string {
	const letters = [...mixCase((rest[0] ?? 0) % 2 ? text.normalize('NFD') : text, rest)];
	const [first = '', ...others] = letters;
	return [
		letters.join(''),
		`"${letters.join('')}"`,
		`"${letters.map((letter, index) => ((rest[index] ?? 0) % 3 === 0 ? `\\${letter}` : letter)).join('')}"`,
		`"${first}"${others.join('')}`,
	][form % 4] as string;
}

function spellDomain(domain: string, form: number, rest: Spelling): string {
	const dot = (rest[5] ?? 0) % 3 === 0 ? '.' : '';
	const isFake = domain.startsWith('xn--');
	const forms = [
		domain,
		domainToASCII(domain) || domain,
		...(isFake ? [] : [domain.normalize('NFD'), domain.replaceAll('.', '。'), toFullWidth(domain), `\u00ad${domain}`]),
	];
	return mixCase(forms[form % forms.length] ?? domain, rest.slice(7)) + dot;
}

function mixCase(text: string, rest: Spelling): string {
	return [...text]
		.map((letter, index) => ((rest[index % rest.length] ?? 0) % 2 ? letter.toUpperCase() : letter))
		.join('');
}

/** Converts ASCII to its full-width forms. */
function toFullWidth(text: string): string {
	return text.replace(/[!-~]/g, letter => String.fromCodePoint(letter.charCodeAt(0) + 0xfee0));
}
