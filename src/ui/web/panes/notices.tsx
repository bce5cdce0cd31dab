import {useEffect} from 'preact/hooks';
import {useWatched, useWeb} from '../web.js';

/** How long a sentence about what was done stays; one about a failure stays until it is closed. */
const shownMs = 6000;

/** What was last said, read aloud as it comes. */
export function NoticeBar() {
	const {store} = useWeb();
	const notice = useWatched(({notice}) => notice);
	const close = () => store.update({notice: undefined});
	useEffect(() => {
		const end = () => store.update({notice: undefined});
		const timer = notice?.tone === 'info' ? setTimeout(end, shownMs) : undefined;
		return () => clearTimeout(timer);
	}, [notice, store]);
	return (
		<div class="notices">
			{(['info', 'error'] as const).map(tone => (
				<div key={tone} role={tone === 'error' ? 'alert' : 'status'}>
					{notice?.tone === tone && (
						<p class={`notice ${tone}`}>
							<span>{notice.text}</span>
							<button type="button" class="plain" aria-label="Close" onClick={close}>
								✕
							</button>
						</p>
					)}
				</div>
			))}
		</div>
	);
}
