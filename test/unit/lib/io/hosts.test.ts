import {expect, test} from 'vitest';
import {hostPort, reachableHost, withoutBrackets} from '../../../../src/lib/io/hosts.js';

test.each([
	{host: '127.0.0.1', shown: '127.0.0.1:25'},
	{host: 'localhost', shown: 'localhost:25'},
	{host: '::1', shown: '[::1]:25'},
	{host: '0.0.0.0', shown: '127.0.0.1:25'},
	{host: '::', shown: '127.0.0.1:25'},
])('$host is reached as $shown', ({host, shown}) => {
	expect(hostPort({host: reachableHost(host), port: 25})).toBe(shown);
	expect(withoutBrackets(new URL(`http://${shown}`).hostname)).toBe(reachableHost(host));
});
