import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { viewAs, viewedUser } from '../state/connection.ts'

/** Asks whom to see the cluster as. */
export function ViewAsDialog({ onClose }: { onClose(): void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const name = useSignal(viewedUser.value)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} class="help" aria-labelledby="view-as-title" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          viewAs(name.value.trim())
        }}
      >
        <h1 id="view-as-title">See the cluster as</h1>
        <p>
          <input
            type="search"
            aria-label="Name of the user"
            placeholder="system:serviceaccount:default:default"
            value={name.value}
            onInput={({ currentTarget }) => {
              name.value = currentTarget.value
            }}
          />
        </p>
        <p class="calm">
          A user, or a service account. Nothing: as the page itself. Views and writes of this tab have the rights of that user.
        </p>
        <button type="submit" class="primary">
          See it so
        </button>{' '}
        <button type="button" onClick={() => dialog.current?.close()}>
          Cancel
        </button>
      </form>
    </dialog>
  )
}
