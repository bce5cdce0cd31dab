import {Box, Text} from 'ink';
import {Fragment, type ReactNode} from 'react';
import {borderWidth, focusOf, layoutOf} from '../state/layout.js';
import type {PaneName} from '../state/state.js';
import {FaultPane, HitListPane, HitPane} from './faults.js';
import {HelpScreen} from './help.js';
import {InboxPane} from './inboxes.js';
import {LastLines, StatusLine} from './lines.js';
import {MessagePane} from './messages.js';
import type {PaneProps, StateProps} from './pane.js';
import {PreviewPane} from './preview.js';
import {DeliveryListPane, DeliveryPane, EndpointPane} from './webhooks.js';

/** In less not even one pane fits. */
const minSize = {columns: 20, rows: 6};

const contents: Readonly<Record<PaneName, (props: PaneProps) => ReactNode>> = {
	inboxes: InboxPane,
	messages: MessagePane,
	preview: PreviewPane,
	endpoints: EndpointPane,
	deliveries: DeliveryListPane,
	delivery: DeliveryPane,
	faults: FaultPane,
	hits: HitListPane,
	hit: HitPane,
};

/** The whole of what the terminal shows; nothing but the state decides it. */
export function App({state}: StateProps): ReactNode {
	const {columns, rows} = state.size;
	if (columns < minSize.columns || rows < minSize.rows) {
		return <Text wrap="truncate">Terminal too small.</Text>;
	}

	return (
		<Box flexDirection="column" width={columns} height={rows}>
			<StatusLine state={state} />
			<Panes state={state} />
			<LastLines state={state} />
		</Box>
	);
}

function Panes({state}: StateProps): ReactNode {
	const {paneHeight: height, panes} = layoutOf(state);
	if (state.dialog?.type === 'help') {
		return <HelpScreen place={{width: state.size.columns, height, focused: true}} top={state.dialog.top} />;
	}

	return (
		<Box height={height}>
			{panes.map(({pane, width}, index) => {
				const Content = contents[pane];
				return (
					<Fragment key={pane}>
						{index > 0 && <Border height={height} />}
						<Content state={state} place={{width, height, focused: pane === focusOf(state)}} />
					</Fragment>
				);
			})}
		</Box>
	);
}

function Border({height}: {readonly height: number}): ReactNode {
	return <Text dimColor>{Array.from({length: height}, () => '│'.padStart(borderWidth)).join('\n')}</Text>;
}
