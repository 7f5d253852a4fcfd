//! What an admin grants: join links, and invites as officer or owner, work while the admin could
//! still grant them.

use serde_json::json;
use tests::TestCampus;
use tests::fixtures::MailedLink;

use crate::invites::INVITES;
use crate::joinlinks::{LINKS, join, token};

// proves J7
#[tokio::test(start_paused = true)]
async fn the_link_of_an_admin_who_was_erased_stays_useless() {
    let campus = TestCampus::new();
    campus.club("chess", &campus.as_("ada")).await;
    let admin = campus.admin();
    let link = admin.post(LINKS, json!({})).await.created();
    campus.erase(&admin).await;
    campus.advance(chrono::TimeDelta::minutes(1));
    // The same person comes back, without the right.
    campus.as_("root").get("/api/settings/").await.ok();
    let tom = join(&campus.as_("tom"), &link, &token(&link)).await;
    assert_eq!(tom.json()["code"], "invite_unusable");
}

// proves J7
#[tokio::test]
async fn admin_link_works_while_they_are_officer() {
    let campus = TestCampus::new();
    let admin = campus.admin();
    campus.club("chess", &admin).await;
    let link = admin.post(LINKS, json!({})).await.created();
    let root = campus.as_("root");
    root.get("/api/settings/").await.ok();
    join(&campus.as_("tom"), &link, &token(&link)).await.ok();
    let sue = campus.member("chess", &root, "sue", 0).await;
    let body = json!({ "role": 20 });
    sue.patch("/api/clubs/chess/members/root/", body).await.ok();
    let eve = join(&campus.as_("eve"), &link, &token(&link)).await;
    assert_eq!(eve.json()["code"], "invite_unusable");
}

// proves I12
#[tokio::test]
async fn admin_owner_invite_works_while_they_are_admin() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let admin = campus.admin();
    for (name, role) in [("second", 0), ("third", 0), ("plain", 20)] {
        let body = json!({ "email": format!("{name}@uni.example"), "role": role });
        admin.post(INVITES, body).await.created();
    }
    campus.deliver().await;
    let accept = async |name: &str| {
        let link = MailedLink::sent_to(&campus, &format!("{name}@uni.example"));
        link.accept(&campus.as_(name)).await
    };
    assert_eq!(accept("second").await.ok()["role"], 0);
    // Who is no admin any more is seen without the group.
    campus.as_("root").get("/api/settings/").await.ok();
    assert_eq!(accept("third").await.json()["code"], "invite_unusable");
    assert_eq!(accept("plain").await.ok()["role"], 20);
    // An owner of the club sends it again.
    campus.advance(chrono::TimeDelta::minutes(10));
    let link = MailedLink::sent_to(&campus, "third@uni.example");
    let again = link.path.replace("accept/", "resend/");
    ada.post(&again, json!(null)).await.ok();
    campus.deliver().await;
    assert_eq!(accept("third").await.ok()["role"], 0);
}
