import {expect, test} from 'vitest';
import {faultsOf, hitsOf, openHit, withFaultEvents} from '../../../../../src/ui/web/actions/faults.js';
import {type FaultsState, noFaults} from '../../../../../src/ui/web/state/state.js';
import {faultBody, faultHitBody} from '../../../../helpers/bodies.js';

const fault = faultBody({id: 'f1', inbox_id: 'in1'});
const [h1, h2] = [faultHitBody({id: 'h1'}), faultHitBody({id: 'h2'})];

const loaded: FaultsState = {
	...noFaults,
	list: {inboxId: 'in1', rows: [fault]},
	hits: {inboxId: 'in1', faultId: undefined, rows: [h1, h2], total: 2},
};

test('faults of one inbox are not shown for another or for the daemon', () => {
	expect(faultsOf(loaded, 'in1')).toEqual([fault]);
	expect(faultsOf(loaded, 'in2')).toBe(undefined);
	expect(faultsOf(loaded, null)).toBe(undefined);
	expect(faultsOf({...loaded, list: {inboxId: null, rows: []}}, null)).toEqual([]);
});

test('hits of all faults are not shown as hits of one fault', () => {
	expect(hitsOf(loaded, 'in1', undefined)?.rows).toEqual([h1, h2]);
	expect(hitsOf(loaded, 'in1', 'f1')).toBe(undefined);
	expect(hitsOf(loaded, null, undefined)).toBe(undefined);
});

test('the newest hit is open until the user chooses one', () => {
	expect(openHit(loaded.hits, undefined)).toBe(h1);
	expect(openHit(loaded.hits, 'h2')).toBe(h2);
	expect(openHit(loaded.hits, 'gone')).toBe(undefined);
	expect(openHit(undefined, undefined)).toBe(undefined);
});

test('faults and hits are reloaded only after fault events', () => {
	const revisions = ({listRevision, hitsRevision}: FaultsState) => [listRevision, hitsRevision];
	expect(revisions(withFaultEvents(loaded, [{type: 'faults.changed', inbox_id: 'in1'}]))).toEqual([1, 1]);
	expect(revisions(withFaultEvents(loaded, [{type: 'fault.hit', hit: h1}]))).toEqual([1, 1]);
	expect(withFaultEvents(loaded, [{type: 'inbox.deleted', inbox_id: 'in1'}])).toBe(loaded);
});
