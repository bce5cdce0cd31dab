import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {createTargetPolicy, exemption, literalAddress, urlProblem} from '../../../../src/domain/webhooks/target.js';

const strict = createTargetPolicy({localAllowed: false});
const relaxed = createTargetPolicy({localAllowed: true});

const loopback = [
	'127.0.0.1',
	'127.0.0.1.',
	'127.1',
	'127.255.255.254',
	'2130706433',
	'0x7f000001',
	'0x7f.1',
	'0177.0.0.1',
	'017700000001',
	'0',
	'0.0.0.0',
	'%31%32%37.0.0.1',
	'①②⑦.⓪.⓪.①',
	'127。0。0。1',
	'１２７.0.0.1',
	'[::1]',
	'[::]',
	'[0:0:0:0:0:0:0:1]',
	'[::ffff:127.0.0.1]',
	'[::ffff:7f00:1]',
	'[::127.0.0.1]',
	'[::ffff:0:127.0.0.1]',
	'[64:ff9b::127.0.0.1]',
	'[2a00:1450::5efe:127.0.0.1]',
	'[2a00:1450::200:5efe:127.0.0.1]',
];

const reserved = [
	'10.0.0.1',
	'10.1',
	'0xa.0.0.1',
	'172.16.0.1',
	'172.31.255.255',
	'192.168.1.1',
	'192.168.257',
	'3232235777',
	'100.64.0.1',
	'192.0.0.8',
	'192.0.2.1',
	'192.88.99.1',
	'198.18.0.1',
	'198.51.100.7',
	'203.0.113.9',
	'[::ffff:10.0.0.1]',
	'[64:ff9b::192.168.1.1]',
	'[fc00::1]',
	'[fd12:3456:789a::1]',
	'[fec0::1]',
	'[100::1]',
	'[2001:db8::1]',
	'[3fff::1]',
	'[5f00::1]',
];

const blocked = [
	'169.254.169.254',
	'169.254.0.1',
	'2852039166',
	'0xa9fea9fe',
	'0251.0376.0251.0376',
	'169.16689662',
	'[::ffff:169.254.169.254]',
	'[::ffff:a9fe:a9fe]',
	'[::169.254.169.254]',
	'[64:ff9b::a9fe:a9fe]',
	'[64:ff9b:1::a9fe:a9fe]',
	'[2a00:1450::5efe:a9fe:a9fe]',
	'[2002:a9fe:a9fe::1]',
	'[2002:7f00:1::]',
	'[2001:0:7f00:1::]',
	'[2001:0:4136:e378:8000:63bf:5601:5601]',
	'[fe80::1]',
	'[febf:ffff::1]',
	'[fd00:ec2::254]',
	'[fd00:ec2::23]',
	'[fd00:ec2::253]',
	'[fd00:0ec2:0:0:0:0:0:0017]',
	'[fd20:ce::254]',
	'[fd00:c1::a9fe:a9fe]',
	'[fd00:42::42]',
	'[fd00:a9fe:a9fe::1]',
	'[fd00:100::100:200]',
	'[::ffff:100.100.100.200]',
	'[64:ff9b::6464:64c8]',
	'[::ffff:0:100.100.100.200]',
	'100.100.100.200',
	'168.63.129.16',
	'192.0.0.192',
	'224.0.0.1',
	'240.0.0.1',
	'255.255.255.255',
	'[ff02::1]',
];

const publicHosts = [
	'8.8.8.8',
	'1.1.1.1',
	'172.15.0.1',
	'172.32.0.1',
	'100.63.255.255',
	'[2606:4700:4700::1111]',
	'[::ffff:8.8.8.8]',
	'[64:ff9b::808:808]',
	'[2a00:1450:4001:80e::5efe:1]',
];

const addressOf = (host: string) => literalAddress(`http://${host}:8080/hook`) ?? 'a name';

describe('an API that listens beyond loopback', () => {
	test.each([...loopback, ...reserved, ...blocked])('does not send webhooks to %s', host => {
		expect(strict(addressOf(host))).toBe(false);
	});

	test.each(publicHosts)('sends webhooks to %s', host => {
		expect(strict(addressOf(host))).toBe(true);
	});
});

describe('an API that listens on loopback only', () => {
	test.each(blocked)('does not send webhooks to %s', host => {
		expect(relaxed(addressOf(host))).toBe(false);
	});

	test.each([...loopback, ...reserved, ...publicHosts])('sends webhooks to %s', host => {
		expect(relaxed(addressOf(host))).toBe(true);
	});
});

describe('the list of allowed subnets', () => {
	const policy = createTargetPolicy({
		localAllowed: false,
		allowed: ['172.18.0.0/16', '127.0.0.1', 'fd00::/8', '169.254.0.0/16'],
	});

	test.each(['172.18.4.5', '127.0.0.1', '::ffff:172.18.4.5', 'fd00::1'])('permits %s', address => {
		expect(policy(address)).toBe(true);
	});

	test.each(['172.19.0.1', '127.0.0.2', '10.0.0.1', '::1'])('does not permit %s, which is not in it', address => {
		expect(policy(address)).toBe(false);
	});

	test.each(['169.254.169.254', 'fd00:ec2::254'])('does not permit %s, which is always blocked', address => {
		expect(policy(address)).toBe(false);
	});

	test.each(['localhost', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8x', '', 'fd00::/129'])(
		'rejects the entry %j',
		entry => {
			expect(() => createTargetPolicy({localAllowed: false, allowed: [entry]})).toThrow(
				`"${entry}" is neither an IP address nor a subnet`,
			);
		},
	);
});

test('the zone of an IPv6 address does not affect the target policy', () => {
	expect(relaxed('fe80::1%eth0')).toBe(false);
	expect(strict('2606:4700:4700::1111%eth0')).toBe(true);
});

test('the target policy rejects text that is not an IP address', () => {
	expect([strict('localhost'), relaxed('localhost'), relaxed('')]).toEqual([false, false, false]);
});

test('an IPv4-mapped IPv6 address is treated like its IPv4 address', () => {
	fc.assert(
		fc.property(fc.ipV4(), address => {
			for (const policy of [strict, relaxed]) {
				expect(policy(`::ffff:${address}`)).toBe(policy(address));
			}
		}),
	);
});

describe('the --webhook-allow value in an error', () => {
	const prefixes = ['::ffff:', '64:ff9b::', '::', '2001:db8::5efe:'];
	const local = fc.oneof(
		fc.constantFrom('127.0.0.1', '10.0.0.7', '172.16.3.4', '192.168.1.1', '100.64.0.1', '0.0.0.0'),
		fc.ipV4(),
	);
	const addresses = fc.oneof(
		local,
		fc.constantFrom('::1', '::', 'fc00::1', 'fe80::1', '169.254.1.1', 'fc00::1%eth0'),
		fc.ipV6(),
		fc.tuple(fc.constantFrom(...prefixes), local).map(parts => parts.join('')),
	);

	test('permits the address and is absent for addresses that are always blocked', () => {
		fc.assert(
			fc.property(addresses, address => {
				const [, named] = /^, unless .* --webhook-allow (\S+)$/.exec(exemption(address)) ?? [];
				const isRefused = !createTargetPolicy({localAllowed: false})(address);
				const isNeverAllowed = !createTargetPolicy({localAllowed: true})(address);
				expect(named !== undefined).toBe(isRefused && !isNeverAllowed);
				if (named !== undefined) {
					expect(createTargetPolicy({localAllowed: false, allowed: named.split(',')})(address)).toBe(true);
				}
			}),
		);
	});

	test('is ::1 for ::1', () => {
		expect(exemption('::1')).toMatch(/ --webhook-allow ::1$/);
	});
});

describe('the URL of an endpoint', () => {
	test.each([
		'https://example.com/hook',
		'http://127.0.0.1:3000',
		'http://[::1]:3000/a?b=c',
		'https://bücher.example/x',
	])('may be %s', url => {
		expect(urlProblem(url)).toBeUndefined();
	});

	test.each([
		['ftp://example.com/', 'must begin with'],
		['file:///etc/passwd', 'must begin with'],
		['javascript:alert(1)', 'must begin with'],
		['https://user:pass@example.com/', 'must not contain a user name'],
		['https://user@example.com/', 'must not contain a user name'],
		['https://:pass@example.com/', 'must not contain a user name'],
		['/hook', 'must be an absolute URL'],
		['', 'must be an absolute URL'],
		['http://', 'must be an absolute URL'],
		['http://exa mple.com/', 'must be an absolute URL'],
		['http://example.com/\nX-Evil: 1', 'must be an absolute URL'],
		['http://999.1.1.1/', 'must be an absolute URL'],
		['http://nowhere.invalid/', 'names a host that does not exist'],
		['http://INVALID./', 'names a host that does not exist'],
	])('must not be %j', (url, problem) => {
		expect(urlProblem(url)).toContain(problem);
	});

	test('has a literal address only if its host is an IP address', () => {
		expect(literalAddress('http://0x7f.1/')).toBe('127.0.0.1');
		expect(literalAddress('http://[::1]:80/')).toBe('::1');
		expect(literalAddress('http://localhost/')).toBeUndefined();
	});
});
