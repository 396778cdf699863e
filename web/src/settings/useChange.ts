/** A change that is being sent, and why it was refused. */
import { useCallback, useState } from "preact/hooks";
import { ApiError } from "../api/client";

export interface Changing {
  readonly isBusy: boolean;
  readonly error: ApiError | null;
  /** Does it; true if it was taken. */
  run(send: () => Promise<unknown>): Promise<boolean>;
  clear(): void;
}

export function useChange(): Changing {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const run = useCallback(async (send: () => Promise<unknown>) => {
    setBusy(true);
    setError(null);
    try {
      await send();
      return true;
    } catch (reason) {
      setError(reason instanceof ApiError ? reason : new ApiError(0, String(reason)));
      return false;
    } finally {
      setBusy(false);
    }
  }, []);
  const clear = useCallback(() => {
    setError(null);
  }, []);
  return { isBusy, error, run, clear };
}
