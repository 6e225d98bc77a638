import { useSignal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import { Link } from './parts/link.tsx'
import { Notice } from './parts/notice.tsx'
import { canViewAs, clusterName, connectionState, lostAtMs, nowMs, serverAddress, viewedUser } from './state/connection.ts'
import { bindKeys } from './state/keyboard.ts'
import { menu } from './state/menu.ts'
import { atRevision, go, listPath, objectPath, type View, view } from './state/route.ts'
import { FindDialog } from './views/find.tsx'
import { HelpDialog } from './views/help.tsx'
import { KindsView } from './views/kinds.tsx'
import { LabView } from './views/lab.tsx'
import { ListView } from './views/list.tsx'
import { ObjectView } from './views/object.tsx'
import { OverviewView } from './views/overview.tsx'
import { PastBar, PastDialog } from './views/past.tsx'
import { TrialsView } from './views/trials.tsx'
import { ViewAsDialog } from './views/view-as.tsx'

const MENU_PATHS: Readonly<Partial<Record<View['name'], string>>> = { overview: '/', kinds: '/kinds', lab: '/lab', trials: '/trials' }

const focusFilter = () => document.querySelector<HTMLInputElement>('main input[type=search]')?.focus()

/** The frame of every view. */
export function App() {
  const dialog = useSignal<'none' | 'find' | 'help' | 'user' | 'past'>('none')
  const open = (which: typeof dialog.value) => () => {
    dialog.value = which
  }
  const close = open('none')
  useLayoutEffect(
    () =>
      bindKeys([
        { keys: ['/', ':', 'ctrl+k'], what: 'find anything', run: open('find') },
        { keys: ['@'], what: 'the cluster as it was', run: open('past') },
        { keys: ['f'], what: 'filter what is shown', run: focusFilter },
        { keys: ['?'], what: 'the keys', run: open('help') },
        { keys: ['['], what: 'back', run: () => history.back() },
        { keys: [']'], what: 'forth', run: () => history.forward() },
        { keys: ['o'], what: 'overview', run: () => go('/') },
        { keys: ['K'], what: 'kinds', run: () => go('/kinds') },
        { keys: ['L'], what: 'lab', run: () => go('/lab') },
        { keys: ['T'], what: 'trials of operators', run: () => go('/trials') },
      ]),
    [],
  )
  const shown = view.value
  return (
    <>
      <a class="skip" href="#main">
        To the content
      </a>
      <Header onFind={open('find')} onHelp={open('help')} onUser={open('user')} onPast={open('past')} />
      <ConnectionNotice />
      <PastBar onChoose={open('past')} />
      <main id="main" class={connectionState.value === 'live' ? '' : 'old'}>
        <Content key={`${keyOf(shown)} ${atRevision.value}`} view={shown} />
      </main>
      {dialog.value === 'find' ? <FindDialog onClose={close} /> : null}
      {dialog.value === 'help' ? <HelpDialog onClose={close} /> : null}
      {dialog.value === 'past' ? <PastDialog onClose={close} /> : null}
      {dialog.value === 'user' ? <ViewAsDialog onClose={close} /> : null}
    </>
  )
}

/** Views of one key keep their state; a tab of an object is no other view. */
function keyOf(shown: View): string {
  if (shown.name === 'object') return objectPath(shown.object)
  return shown.name === 'list' ? listPath(shown.of) : shown.name
}

interface HeaderProps {
  onFind(): void
  onHelp(): void
  onUser(): void
  onPast(): void
}

function Header({ onFind, onHelp, onUser, onPast }: HeaderProps) {
  const shown = view.value
  const path = shown.name === 'list' ? listPath(shown.of) : (MENU_PATHS[shown.name] ?? '')
  return (
    <header class="frame">
      <Link to="/" class="brand" title={serverAddress.value}>
        {clusterName.value || 'bowsprit'}
      </Link>
      <nav aria-label="Views">
        {menu().map(({ name, to }) => (
          <Link key={to} to={to} current={to.split('?')[0] === path}>
            {name}
          </Link>
        ))}
      </nav>
      <button type="button" class="find-button" onClick={onFind}>
        Find anything <kbd>/</kbd>
      </button>
      {canViewAs.value || viewedUser.value !== '' ? (
        <button type="button" class="user-button" onClick={onUser} title="see the cluster as another user">
          {viewedUser.value === '' ? 'view as' : `as ${viewedUser.value}`}
        </button>
      ) : null}
      <button type="button" class="quiet-button" onClick={onPast} title="the cluster as it was (@)">
        <ConnectionMark />
      </button>
      <button type="button" class="help-button" onClick={onHelp} aria-label="Keys">
        ?
      </button>
    </header>
  )
}

function ConnectionMark() {
  const live = connectionState.value === 'live'
  return (
    <span class={`connection ${live ? 'live' : ''}`}>
      {live ? '● live' : '○ not connected'} <time>{new Date(nowMs.value).toTimeString().slice(0, 8)}</time>
    </span>
  )
}

function ConnectionNotice() {
  switch (connectionState.value) {
    case 'refused':
      return (
        <Notice kind="problem">
          This tab has no key for this run of the cluster. Open the link that <code>bowsprit up</code> or <code>bowsprit page</code> has
          printed.
        </Notice>
      )
    case 'lost':
      return (
        <Notice kind="problem">
          The connection was lost at {new Date(lostAtMs.value).toTimeString().slice(0, 8)}. What is shown is of then; trying again …
        </Notice>
      )
    default:
      return null
  }
}

function Content({ view: shown }: { readonly view: View }) {
  switch (shown.name) {
    case 'overview':
      return <OverviewView />
    case 'kinds':
      return <KindsView />
    case 'lab':
      return <LabView />
    case 'trials':
      return <TrialsView />
    case 'list':
      return <ListView of={shown.of} />
    case 'object':
      return <ObjectView object={shown.object} tab={shown.tab} />
    case 'unknown':
      return <Notice kind="problem">No view has this address.</Notice>
  }
}
