import type {EventBody} from '../../contract/events.js';

/** Connection to the live feed. */
export type FeedStatus = {readonly status: 'connecting' | 'live'} | {readonly status: 'lost'; readonly reason: string};

/** Labels of the statuses. */
export const feedWords: Readonly<Record<FeedStatus['status'], string>> = {
	connecting: 'connecting',
	live: 'live',
	lost: 'reconnecting …',
};

/** Events within this time are applied together. */
const batchMs = 100;

/** Collects events and applies them in batches: a mail storm must not redraw the screen for every mail. */
export function createEventBatch(apply: (events: readonly EventBody[]) => void) {
	const batch: EventBody[] = [];
	let timer: ReturnType<typeof setTimeout> | undefined;
	const flush = () => {
		clearTimeout(timer);
		timer = undefined;
		const events = batch.splice(0);
		if (events.length > 0) {
			apply(events);
		}
	};
	return {
		add(event: EventBody) {
			batch.push(event);
			timer ??= setTimeout(flush, batchMs);
		},
		/** Applies the collected events now. */
		flush,
		/** Drops the collected events. */
		discard() {
			batch.length = 0;
			clearTimeout(timer);
		},
	};
}
