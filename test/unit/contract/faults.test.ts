import {expect, test} from 'vitest';
import {describeEffect, describeFaultHit} from '../../../src/contract/descriptions.js';
import type {FaultHitBody} from '../../../src/contract/faults.js';
import {faultHitBody} from '../../helpers/bodies.js';

test.each<[Partial<FaultHitBody>, string]>([
	[{}, 'answered 451 4.7.1 Greylisted, try again later'],
	[{reply: null, drop: 'before'}, 'dropped without a reply'],
	[{reply: '451 Later', drop: 'mid'}, 'answered 451 Later, dropped in the middle'],
	[{reply: '451 Later', delay_ms: 1500}, 'answered 451 Later after 1.5 s'],
	[{reply: null, delay_ms: 5000}, 'delayed by 5 s'],
	[{reply: null}, 'slowed down'],
])('the effect of fault hit %o is described as "%s"', (hit, expected) => {
	expect(describeEffect(faultHitBody(hit))).toBe(expected);
});

test.each<[Partial<FaultHitBody>, string]>([
	[{}, 'RCPT <signup@tinbox.test> from 127.0.0.1: answered 451'],
	[{stage: 'mail'}, 'MAIL shop@example.com from 127.0.0.1: answered 451'],
	[{stage: 'auth', user: 'ann'}, 'AUTH ann from 127.0.0.1: answered 451'],
	[{stage: 'connect', envelope: {from: null, to: []}}, 'CONNECT from 127.0.0.1: answered 451'],
])('the line for fault hit %o is "%s"', (hit, expected) => {
	expect(describeFaultHit(faultHitBody({...hit, reply: '451'}))).toBe(expected);
});
