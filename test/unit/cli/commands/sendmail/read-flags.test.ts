import {describe, expect, test} from 'vitest';
import {readFlags} from '../../../../../src/cli/commands/run-sendmail.js';

const read = (line: string) => readFlags(line.split(' ').filter(word => word !== ''));

test.each([
	['-t -i', {readsRecipients: true, ignoresDots: true}],
	['-ti', {readsRecipients: true, ignoresDots: true}],
	['-tif ann@example.com', {readsRecipients: true, ignoresDots: true, sender: 'ann@example.com'}],
	['-tfann@example.com', {readsRecipients: true, sender: 'ann@example.com'}],
	['-r ann@example.com bob@example.com', {sender: 'ann@example.com', recipients: ['bob@example.com']}],
	['-oi -oem -odb -FAnn', {ignoresDots: true, name: 'Ann'}],
	['-o i', {ignoresDots: true}],
	['-O IgnoreDots=true', {ignoresDots: true}],
	['-OIgnoreDots', {ignoresDots: true}],
	['-O IgnoreDots=false', {ignoresDots: false}],
	['-N success,DELAY -Rhdrs -V id-1', {dsn: {notify: ['success', 'delay'], return: 'headers', id: 'id-1'}}],
	['-bs', {mode: 's'}],
	['-b s', {mode: 's'}],
	['-bp', {mode: 'p'}],
	['-I', {mode: 'i'}],
	['-q', {mode: 'q'}],
	['-q30m', {mode: 'q'}],
	['-qRexample.com', {mode: 'q'}],
	['-i -- -odd@example.com', {ignoresDots: true, recipients: ['-odd@example.com']}],
	['bob@example.com -t', {readsRecipients: true, recipients: ['bob@example.com']}],
	['--read-recipients --from=ann@example.com', {readsRecipients: true, sender: 'ann@example.com'}],
	['--from ann@example.com --read-envelope-from', {sender: 'ann@example.com', readsSender: true}],
])('sendmail parses the flags %j', (line, expected) => {
	expect(read(line)).toMatchObject(expected);
});

test.each([
	'-Ac -Am -B8BITMIME -B 7BIT -C /etc/mail.cf -D log -d0.4 -dX -E -em -e m -G -h 3 -h3 -L tag -Llog',
	'-m -Mrhost -n -ps -p smtp -Qreason -s -T3d -U -v -X log -Xlog -c -x -g -a work',
	'-oee -o7 -oQ/tmp -om -odi -O QueueDirectory=/tmp -OTimeout.queuereturn=1h',
	'-oMa 127.0.0.1 -oMr smtp -oMt ann',
	'--host mail.example.com --port=25 --tls --tls=off --auth=on --user ann --passwordeval true --timeout 5 --logfile log --syslog=off',
])('sendmail ignores %s with their values', line => {
	expect(read(`${line} bob@example.com`)).toEqual(read('bob@example.com'));
});

describe('sendmail exits with 64 (EX_USAGE) for', () => {
	test.each([
		['-Z', 'Unknown flag -Z.'],
		['-t -f', '-f needs a value.'],
		['-N sometimes', '-N must be one of never, success, failure, delay, got "sometimes".'],
		['-N never,delay', '-N must be one of never, success, failure, delay, got "never,delay".'],
		['-R all', '-R must be one of full, hdrs, got "all".'],
	])('%j', (line, message) => {
		expect(() => read(line)).toThrow(expect.objectContaining({exitCode: 64, message}));
	});
});
