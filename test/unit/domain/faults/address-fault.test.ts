import fc from 'fast-check';
import {expect, test} from 'vitest';
import {type AddressRequest, addressRequestOf} from '../../../../src/domain/faults/address-fault.js';
import type {FaultEffect, FaultReply} from '../../../../src/domain/faults/fault.js';

const inboxAddress = 'signup@tinbox.test';

const fault = (effect: Partial<FaultEffect>) =>
	expect.objectContaining({does: 'fault', fault: expect.objectContaining({effect: expect.objectContaining(effect)})});
const reply = (code: number, enhanced: string, text: string = expect.any(String)) => ({code, enhanced, text});

test.each<[string, unknown]>([
	['fail-451', fault({reply: reply(451, '4.0.0', 'Fault requested by the recipient address')})],
	['fail-550-5.1.1', fault({reply: reply(550, '5.1.1')})],
	['fail+550+no+such+user', fault({reply: reply(550, '5.0.0', 'no such user')})],
	['fail+550+5.2.1+it+is+gone', fault({reply: reply(550, '5.2.1', 'it is gone')})],
	['fail+550+5+of+9', fault({reply: reply(550, '5.0.0', '5 of 9')})],
	['delay-5s', fault({delayMs: 5000})],
	['delay-250ms', fault({delayMs: 250})],
	['delay-1.5s', fault({delayMs: 1500})],
	['drop', fault({drop: 'before'})],
	['drop-after-commit', fault({drop: 'after_commit'})],
	['greylist', fault({reply: reply(451, '4.7.1')})],
	['bounce', {does: 'bounce', reply: reply(550, '5.1.1')}],
	['bounce-554-5.7.1', {does: 'bounce', reply: reply(554, '5.7.1', 'Bounce requested by the recipient address')}],
	['bounce+550+no+such+user', {does: 'bounce', reply: reply(550, '5.0.0', 'no such user')}],
	['complain', {does: 'complain'}],
	['autoreply', {does: 'autoreply'}],
])('the address tag %s requests its effect', (tag, request) => {
	for (const pattern of [inboxAddress, '*@tinbox.test', '*']) {
		expect(addressRequestOf(`signup+${tag}@tinbox.test`, pattern)).toEqual(request);
		expect(addressRequestOf(`"Signup"+${tag.toUpperCase()}@TINBOX.test.`, pattern)).toEqual(request);
	}
});

test.each([
	'',
	'fail',
	'fail-250',
	'fail-45',
	'fail-4511',
	'fail-451-5.1.1',
	'fail-451-',
	'fail-550-5.1.1x',
	'fail-550-no',
	'failure',
	'delay',
	'delay-0s',
	'delay-6m',
	'delay-5 s',
	'delay-.s',
	'drop-mid',
	'news',
	'news+fail-451',
	`fail+550+${'x'.repeat(400)}`,
	'fail+550+größer',
	'__proto__',
])('the address tag "%s" requests nothing', tag => {
	expect(addressRequestOf(`signup+${tag}@tinbox.test`, inboxAddress)).toBeNull();
});

test('an address requests nothing if the inbox claims it with its tag, in any spelling', () => {
	expect(addressRequestOf('signup+fail-451@tinbox.test', 'Signup+Fail-451@Tinbox.test')).toBeNull();
	expect(addressRequestOf('"signup+fail-451"@tinbox.test', 'signup+fail-451@tinbox.test')).toBeNull();
	expect(addressRequestOf('+fail-451@tinbox.test', '*')).toBeNull();
	expect(addressRequestOf('signup@fail+451.test', '*')).toBeNull();
});

test('an address that does not reach the inbox requests nothing', () => {
	expect(addressRequestOf('somebody+fail-451@example.com', 'signup@tinbox.test')).toBeNull();
	expect(addressRequestOf('somebody+fail-451@tinbox.test', 'signup@tinbox.test')).toBeNull();
	expect(addressRequestOf('somebody+fail-451@example.com', '*@tinbox.test')).toBeNull();
});

const digit = fc.integer({min: 0, max: 9});
const failing: fc.Arbitrary<FaultReply> = fc
	.record({
		kind: fc.constantFrom(4, 5),
		rest: fc.tuple(digit, digit),
		subject: fc.integer({min: 0, max: 999}),
		detail: fc.integer({min: 0, max: 999}),
		words: fc.array(fc.stringMatching(/^[a-z!#$%&'*/=?^_`{|}~]{1,8}$/), {minLength: 1, maxLength: 9}),
	})
	.map(({kind, rest, subject, detail, words}) => ({
		code: Number(`${kind}${rest.join('')}`),
		enhanced: `${kind}.${subject}.${detail}`,
		text: words.join(' '),
	}));

test('any valid reply can be requested and is returned unchanged', () => {
	fc.assert(
		fc.property(failing, fc.constantFrom('-', '+'), fc.constantFrom('fail', 'bounce'), (requested, between, name) => {
			const {code, enhanced, text} = requested;
			const tag = `${[name, code, enhanced].join(between)}+${text.replaceAll(' ', '+')}`;
			const request = addressRequestOf(`signup+${tag}@tinbox.test`, inboxAddress);
			expect(replyOf(request)).toEqual(requested);
		}),
	);
});

test('any address requests only a one-line negative reply or a delay within the maximum', () => {
	const start = fc.constantFrom('', 'fail', 'fail-451', 'fail+550', 'bounce+550+', 'delay-', 'drop');
	fc.assert(
		fc.property(start, fc.string({unit: 'binary', maxLength: 500}), (tag, rest) => {
			const request = addressRequestOf(`signup+${tag}${rest}@tinbox.test`, inboxAddress);
			const requested = replyOf(request);
			if (requested) {
				expect(`${requested.code} ${requested.enhanced} ${requested.text}`).toMatch(
					/^([45])\d\d \1\.\d{1,3}\.\d{1,3} [ -~]{1,400}$/,
				);
			}

			if (request?.does === 'fault') {
				expect(request.fault.effect.delayMs).toBeLessThanOrEqual(300_000);
			}
		}),
	);
});

function replyOf(request: AddressRequest | null): FaultReply | null {
	return request?.does === 'fault' ? request.fault.effect.reply : request?.does === 'bounce' ? request.reply : null;
}
