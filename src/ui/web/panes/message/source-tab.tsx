import {showControls} from '../../../../lib/sanitize.js';
import {formatSize} from '../../../../lib/units.js';
import {maxShownSource} from '../../actions/message.js';
import type {OpenMessage} from '../../state/route.js';
import {LongText} from './long-text.js';
import {PartView, usePart} from './part.js';

/** The beginning of the source as it came, with what cannot be seen written out. */
export function SourceTab({open, size}: {readonly open: OpenMessage; readonly size: number | undefined}) {
	return (
		<PartView open={open} name="source" part={usePart(open, 'source')} what="the source">
			{source => (
				<>
					{(size === undefined ? source.length >= maxShownSource : size > maxShownSource) && (
						<p class="warning">Showing the first {formatSize(maxShownSource)}. Download the .eml to see all.</p>
					)}
					<LongText text={showControls(source)} />
				</>
			)}
		</PartView>
	);
}
