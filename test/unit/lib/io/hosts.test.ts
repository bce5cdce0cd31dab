import {expect, test} from 'vitest';
import {hostPort, reachableHost, withoutBrackets} from '../../../../src/lib/io/hosts.js';

test.each([
	{host: '127.0.0.1', expected: '127.0.0.1:25'},
	{host: 'localhost', expected: 'localhost:25'},
	{host: '::1', expected: '[::1]:25'},
	{host: '0.0.0.0', expected: '127.0.0.1:25'},
	{host: '::', expected: '127.0.0.1:25'},
])('a server that listens on $host is reached at $expected', ({host, expected}) => {
	expect(hostPort({host: reachableHost(host), port: 25})).toBe(expected);
	expect(withoutBrackets(new URL(`http://${expected}`).hostname)).toBe(reachableHost(host));
});
