import {Box, Text} from 'ink';
import {Fragment, type ReactNode} from 'react';
import {borderWidth, focusOf, type Layout, layoutOf} from '../state/layout.js';
import type {Pane, State} from '../state/state.js';
import {HelpScreen} from './help-screen.js';
import {InboxPane} from './inbox-pane.js';
import {LastLine} from './last-line.js';
import {MessagePane} from './message-pane.js';
import type {PanePlace} from './place.js';
import {PreviewPane} from './preview-pane.js';
import {StatusLine} from './status-line.js';
import {DeliveryListPane, DeliveryPane, EndpointPane} from './webhook-panes.js';

/** In less than this not even one pane has its place. */
const smallest = {width: 20, height: 6};

/** The whole of what the terminal shows: the state and nothing else decides it. */
export function App({state}: {readonly state: State}): ReactNode {
	const layout = layoutOf(state);
	const {width, height, paneHeight} = layout;
	if (width < smallest.width || height < smallest.height) {
		return <Text wrap="truncate">Too small.</Text>;
	}

	return (
		<Box flexDirection="column" width={width} height={height}>
			<StatusLine state={state} width={width} />
			{state.dialog?.type === 'help' ? (
				<HelpScreen width={width} height={paneHeight} top={state.dialog.top} />
			) : (
				<Panes state={state} layout={layout} />
			)}
			<LastLine state={state} width={width} />
		</Box>
	);
}

const panes: Readonly<Record<Pane, (props: {readonly state: State; readonly place: PanePlace}) => ReactNode>> = {
	inboxes: InboxPane,
	messages: MessagePane,
	preview: PreviewPane,
	endpoints: EndpointPane,
	deliveries: DeliveryListPane,
	delivery: DeliveryPane,
};

function Panes({state, layout}: {readonly state: State; readonly layout: Layout}): ReactNode {
	const focus = focusOf(state);
	return (
		<Box height={layout.paneHeight}>
			{layout.panes.map(({pane, width}, index) => {
				const Content = panes[pane];
				return (
					<Fragment key={pane}>
						{index > 0 && <Border height={layout.paneHeight} />}
						<Content state={state} place={{width, height: layout.paneHeight, focused: pane === focus}} />
					</Fragment>
				);
			})}
		</Box>
	);
}

function Border({height}: {readonly height: number}): ReactNode {
	return <Text dimColor>{Array.from({length: height}, () => '│'.padStart(borderWidth)).join('\n')}</Text>;
}
