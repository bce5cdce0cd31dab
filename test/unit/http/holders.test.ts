import type {IncomingMessage} from 'node:http';
import {expect, test} from 'vitest';
import {Holders, userHolder} from '../../../src/http/server/holders.js';

function request(headers: IncomingMessage['headers'], remoteAddress = '127.0.0.1', url = '/'): IncomingMessage {
	return {headers, url, socket: {remoteAddress}} as IncomingMessage;
}

test('requests from all loopback addresses have one group, and those of an IPv6 network of 64 bits', () => {
	const holders = new Holders();
	const groupAt = (address: string) => holders.of(request({authorization: 'Bearer re_x'}, address)).group;
	expect(new Set(['127.0.0.1', '127.9.8.7', '::1', '::ffff:127.0.0.2'].map(groupAt)).size).toBe(1);
	expect(new Set(['2001:db8::1', '2001:db8::2', '2001:db8:0:0:ffff::'].map(groupAt)).size).toBe(1);
	expect(new Set(['2001:db8::1', '2001:db8:1::1', '192.0.2.1', '192.0.2.2', '127.0.0.1'].map(groupAt)).size).toBe(5);
});

test('a user cannot claim the placeholder key of others by sending it beside the own key', () => {
	const holders = new Holders();
	const placeholder = 'Bearer re_test';
	const both = request({'x-api-key': placeholder, authorization: 'Bearer own'});
	holders.authenticated(both, 'mallory');
	expect(holders.of(both)).toEqual(userHolder('mallory'));
	expect(holders.of(request({authorization: placeholder})).group).toBe('address localhost');
	expect(holders.of(request({'x-api-key': placeholder})).group).toBe('address localhost');
});

test('a rejected credential does not take turns of its former user', () => {
	const holders = new Holders();
	const headers = {'x-api-key': 'key'};
	holders.authenticated(request(headers), 'ann');
	expect(holders.of(request(headers))).toEqual(userHolder('ann'));
	holders.rejected(request(headers));
	expect(holders.of(request(headers)).group).toBe('address localhost');
});

test('requests to SES with the same access key have one holder, also if they are presigned', () => {
	const holders = new Holders();
	const signed = (signature: string) =>
		request({
			authorization: `AWS4-HMAC-SHA256 Credential=AKIA/20260101/us-east-1/ses/aws4_request, Signature=${signature}`,
		});
	expect(holders.of(signed('1'))).toEqual(holders.of(signed('2')));
	const presigned = (rest: string) =>
		request({}, '127.0.0.1', `/?X-Amz-Credential=AKIA%2F2026&X-Amz-Signature=${rest}`);
	expect(holders.of(presigned('1'))).toEqual(holders.of(presigned('2')));
	expect(holders.of(presigned('1')).group).toBe('address localhost');
});
