from django.contrib.auth import views as auth_views
from django.urls import path

from accounts import views

app_name = "accounts"

# /sign-in/ and /sign-out/
sign_in_urls = [
    path("sign-in/", views.SignIn.as_view(), name="sign_in"),
    path("sign-in/provider/", views.provider_start, name="provider_start"),
    path("sign-in/provider/callback/", views.provider_callback, name="provider_callback"),
    path("sign-out/", auth_views.LogoutView.as_view(), name="sign_out"),
]

# /password/: set a forgotten password
password_urls = [
    path("password/forgotten/", views.PasswordForgotten.as_view(), name="password_forgotten"),
    path(
        "password/mailed/",
        auth_views.PasswordResetDoneView.as_view(template_name="accounts/password_mailed.html"),
        name="password_mailed",
    ),
    path("password/<uidb64>/<token>/", views.PasswordNew.as_view(), name="password_new"),
]

# /account/
account_urls = [
    path("account/", views.account, name="account"),
    path("account/mail/", views.mail_preferences, name="mail_preferences"),
    path("account/provider/link/", views.provider_link, name="provider_link"),
    path("account/provider/unlink/", views.provider_unlink, name="provider_unlink"),
    path("account/password/", views.password, name="password"),
    path("account/sessions/", views.session_list, name="session_list"),
    path("account/sessions/others/end/", views.session_end_others, name="session_end_others"),
    path("account/sessions/<str:name>/end/", views.session_end, name="session_end"),
]

# /mail/: the link at the end of a mail
mail_urls = [path("mail/off/<str:token>/", views.mail_off, name="mail_off")]

# /tokens/
token_urls = [
    path("tokens/", views.token_list, name="token_list"),
    path("tokens/<int:pk>/revoke/", views.token_revoke, name="token_revoke"),
]

urlpatterns = [*sign_in_urls, *password_urls, *account_urls, *mail_urls, *token_urls]
