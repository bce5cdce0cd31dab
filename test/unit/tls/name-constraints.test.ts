import {X509Certificate} from 'node:crypto';
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {plainAddress} from '../../../src/lib/io/hosts.js';
import {issueAuthority} from '../../../src/tls/issue.js';
import {constraintsOf, permits} from '../../../src/tls/names.js';

const validity = {notBefore: new Date(), notAfter: new Date(Date.now() + 86_400_000)};

const domain = fc.domain();
const ipv4Range = fc.tuple(fc.ipV4(), fc.integer({min: 0, max: 32})).map(([address, bits]) => `${address}/${bits}`);
const ipv6Range = fc
	.tuple(fc.ipV6(), fc.integer({min: 0, max: 128}))
	// Converts spellings that end with an IPv4 address to hexadecimal.
	.map(([address, bits]) => `${plainAddress(address)}/${bits}`);

test('the constraints of a certificate can be read after it was issued', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.array(fc.oneof(domain, ipv4Range, ipv6Range), {minLength: 1, maxLength: 20}),
			async subtrees => {
				const {certificate} = await issueAuthority('constrained', validity, subtrees);
				expect(constraintsOf(new X509Certificate(certificate))).toEqual(subtrees);
			},
		),
		{numRuns: 30},
	);
});

test('a certificate without constraints has none', async () => {
	const {certificate} = await issueAuthority('unconstrained', validity);
	expect(constraintsOf(new X509Certificate(certificate))).toBeUndefined();
});

test.each([
	['test', 'test', true],
	['test', 'a.b.test', true],
	['test', 'contest', false],
	['test', 'test.com', false],
	['mail.test', 'test', false],
	['127.0.0.0/8', '127.3.2.1', true],
	['127.0.0.0/8', '128.0.0.1', false],
	['127.0.0.0/8', '::1', false],
	['127.0.0.0/8', '127.0.0.1.test', false],
	['fc00::/7', 'fd12::1', true],
	['::1/128', '::2', false],
])('the constraint %s permits %s: %s', (subtree, name, permitted) => {
	expect(permits([subtree], name)).toBe(permitted);
});
