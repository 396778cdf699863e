/** The page Profile now: one request is profiled, and its run opens. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ProfileNow } from "../api/generated";
import { address } from "../api/filter";
import { valueOf } from "../api/terms";
import { useApi } from "../api/useApi";
import { Field } from "../parts/Field";
import { Page } from "../shell/Page";
import { navigate, useUrl } from "../shell/router";
import { filterOf, useServer } from "../shell/server";
import { Answered } from "../shell/states";
import { ArrivedRuns } from "./ArrivedRuns";
import { addressOf } from "./arrival";
import { OneClick } from "./OneClick";
import { useArrivals } from "./useArrivals";
import { Ways } from "./Ways";

export function ProfileNowPage(): JSX.Element {
  const url = useUrl();
  const session = useServer();
  const typed = url.searchParams.get("url") ?? "";
  const app = url.searchParams.get("app") ?? valueOf(filterOf(url), "app") ?? "";
  const target = addressOf(typed);
  const asked = useApi<ProfileNow>(address("/api/v1/pages/profile-now", { url: target === null ? "" : typed }));
  const arrivals = useArrivals(app);
  return (
    <Page title="Profile now" note="one request, whatever the rate of profiles is">
      <section class="panel" aria-label="The request">
        <RequestForm
          url={typed}
          app={app}
          apps={session.apps.map(({ name }) => name)}
          examples={asked.answer?.examples ?? []}
        />
      </section>
      <Answered asked={asked}>
        {(ways) => (
          <>
            <OneClick key={typed} ways={ways} target={target} fresh={arrivals.fresh} />
            <Ways ways={ways} />
          </>
        )}
      </Answered>
      <ArrivedRuns arrivals={arrivals} />
    </Page>
  );
}

function RequestForm(props: {
  url: string;
  app: string;
  apps: readonly string[];
  examples: readonly string[];
}): JSX.Element {
  const [typed, setTyped] = useState(props.url);
  const [error, setError] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    setTyped(props.url);
  }, [props.url]);
  const go = (url: string, app: string): void => {
    if (url !== "" && addressOf(url) === null) {
      setError("Type an address that begins with https:// or http://.");
      input.current?.focus();
      return;
    }
    setError(null);
    navigate(address("/profile-now", { url, app }));
  };
  return (
    <form
      class="groups-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        go(typed.trim(), props.app);
      }}
    >
      <Field
        name="url"
        label="Address of the page"
        error={error}
        input={(field) => (
          <input
            {...field}
            ref={input}
            type="url"
            list="addresses"
            value={typed}
            placeholder="https://shop.example.com/cart"
            onInput={(event) => {
              setTyped(event.currentTarget.value);
            }}
          />
        )}
      />
      <datalist id="addresses">
        {props.examples.map((example) => (
          <option key={example} value={example} />
        ))}
      </datalist>
      {props.apps.length > 1 ? (
        <Field
          name="app"
          label="Application"
          input={(field) => (
            <select
              {...field}
              value={props.app}
              onChange={(event) => {
                go(typed.trim(), event.currentTarget.value);
              }}
            >
              <option value="">any</option>
              {props.apps.map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          )}
        />
      ) : null}
      <button type="submit">Show how</button>
    </form>
  );
}
