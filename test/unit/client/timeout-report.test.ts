import {expect, test} from 'vitest';
import {problemLines} from '../../../src/client/timeout-report.js';
import {droppedByFault} from '../../../src/contract/constants.js';
import {faultHitBody, refusalBody} from '../../helpers/bodies.js';

test('a timeout report has one line per fault and effect, newest first', () => {
	const at = (second: number) => ({time: `2026-01-01T11:59:0${second}.000Z`});
	const clock = (second: number) => new Date(at(second).time).toTimeString().slice(0, 8);
	const hits = [
		faultHitBody({...at(5), fault_id: null, name: null, reply: '550 5.1.1 No such user'}),
		faultHitBody(at(4)),
		faultHitBody({...at(3), fault_id: 'fault-2', name: null, stage: 'auth', reply: '535 5.7.8 No'}),
		faultHitBody(at(2)),
		faultHitBody(at(1)),
	];
	expect(problemLines([], hits)).toEqual([
		`1 mail was answered 550 5.1.1 No such user because of its fault address at ${clock(5)}.`,
		`3 mails were answered 451 4.7.1 Greylisted, try again later by fault "greylist", most recently at ${clock(4)}.`,
		`1 connection was answered 535 5.7.8 No by fault "fault-2" at ${clock(3)}.`,
	]);
	expect(problemLines([], [])).toEqual([]);
});

test('a timeout report lists mail rejected or dropped by a fault only once', () => {
	const {reply} = faultHitBody();
	const dropped = refusalBody({reply: null, reason: droppedByFault});
	const left = refusalBody({reply: null, stage: 'data', reason: 'the client left'});
	const lines = problemLines(
		[refusalBody({reply, reason: 'Greylisted, try again later'}), dropped, refusalBody()],
		[faultHitBody(), faultHitBody({reply: null, drop: 'before'})],
	);
	expect(problemLines([dropped, left], [faultHitBody()])).toHaveLength(4);
	expect(lines).toEqual([
		expect.stringContaining('1 mail was answered 451 4.7.1 Greylisted'),
		expect.stringContaining('1 mail was dropped without a reply'),
		'1 mail was rejected recently: RCPT <nobody@tinbox.test>: no such inbox',
	]);
});
